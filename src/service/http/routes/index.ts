/** All routes, in the order of the reference. */
import { consoleRoutes } from '../console/index.ts'
import type { Route } from '../route.ts'
import { getFormats, getUsage } from './account.ts'
import { ADMIN_ROUTES } from './admin.ts'
import { downloadBatch, getBatch } from './batches.ts'
import { deleteConnection, getConnection, listConnections, putConnection } from './connections.ts'
import { createDelivery } from './deliveries.ts'
import { download } from './download.ts'
import { GUEST_ROUTES } from './guests.ts'
import { healthz } from './health.ts'
import { deleteImageOrigin, getImageOrigin, listImageOrigins, purgeImageOrigin, putImageOrigin } from './image-origins.ts'
import { getImage } from './images.ts'
import { createLink, downloadLink } from './links.ts'
import { metricsRoute } from './metrics.ts'
import { pageRoutes } from './pages.ts'
import { deletePreset, getPreset, putPreset } from './presets.ts'
import { getKeys, getReceipt } from './receipts.ts'
import { createUploadRoute, deleteUploadRoute, getUploadRoute, overrideUploadRoute, patchUploadRoute } from './resumable.ts'
import { getStatus } from './status.ts'
import { SYNC_ROUTES } from './syncs.ts'
import { deleteTask, getTask, listTasks } from './tasks.ts'
import { batchCompress, compress } from './upload.ts'
import { createUploadToken } from './upload-tokens.ts'

const UPLOADS: readonly Route[] = [createUploadRoute, getUploadRoute, patchUploadRoute, deleteUploadRoute, overrideUploadRoute]
const CONNECTIONS: readonly Route[] = [listConnections, getConnection, putConnection, deleteConnection]
const IMAGE_ORIGINS: readonly Route[] = [listImageOrigins, getImageOrigin, putImageOrigin, deleteImageOrigin, purgeImageOrigin]
const API: readonly Route[] = [
  compress,
  batchCompress,
  ...UPLOADS,
  createUploadToken,
  getTask,
  download,
  getReceipt,
  createDelivery,
  createLink,
  downloadLink,
  deleteTask,
  listTasks,
  getBatch,
  downloadBatch,
  getPreset,
  putPreset,
  deletePreset,
  ...CONNECTIONS,
  ...IMAGE_ORIGINS,
  getImage,
  ...SYNC_ROUTES,
  getUsage,
  getFormats,
  getKeys,
  healthz,
  getStatus,
]

export const ROUTES: readonly Route[] = [
  ...API,
  ...pageRoutes(() => ROUTES),
  ...GUEST_ROUTES,
  ...ADMIN_ROUTES,
  metricsRoute,
  ...consoleRoutes(API),
]
