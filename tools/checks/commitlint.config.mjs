/**
 * Rules for commit messages: Conventional Commits with one subject of at most 72 characters. `npm run check` lints all commits since
 * these rules exist. `.githooks/commit-msg` lints one message with `--edit`.
 */
const isBeingWritten = process.argv.includes('--edit')

const oneSubject = ({ header }) => [!header?.includes(';'), 'the subject contains a semicolon: make one commit per change']

export default {
  extends: ['@commitlint/config-conventional'],
  // While a message is written, messages that git replaces later (`fixup!`, merges) are allowed. In the history they are not.
  defaultIgnores: isBeingWritten,
  plugins: [{ rules: { 'one-subject': oneSubject } }],
  rules: {
    'header-max-length': [2, 'always', 72],
    'one-subject': [2, 'always'],
    'body-leading-blank': [2, 'always'],
    // Lines of the body may have any length.
    'body-max-line-length': [0],
    'footer-leading-blank': [0],
    'footer-max-line-length': [0],
    // A subject may begin with an identifier.
    'subject-case': [0],
    'subject-full-stop': [0],
  },
}
