# Whittle on one machine. `docker compose up` starts it behind Caddy; see docs/self-hosting.md.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/cli/package.json cli/
COPY tools/release/trim-packages.mjs scripts/
RUN npm ci --omit=dev --no-audit --no-fund
COPY . .
# The bundles are made here, so that the image needs no room to write.
RUN npm run build

FROM node:24-bookworm-slim
ENV NODE_ENV=production
COPY --from=build /app /app
RUN mkdir /state && chown node:node /state
WORKDIR /app
USER node
VOLUME /state
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "src/local/start.ts", "--host", "0.0.0.0", "--state", "/state"]
