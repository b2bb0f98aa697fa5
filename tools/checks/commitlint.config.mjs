/**
 * Commit messages: Conventional Commits with one subject of at most 72 characters. `npm run check` lints every commit since these rules
 * exist; `.githooks/commit-msg` lints one message with `--edit`.
 */
const isBeingWritten = process.argv.includes('--edit')

const oneSubject = ({ header }) => [!header?.includes(';'), 'a semicolon joins several subjects: make a commit of each']

export default {
  extends: ['@commitlint/config-conventional'],
  // A message that git will replace (`fixup!`, a merge) is allowed while it is written, not in the history.
  defaultIgnores: isBeingWritten,
  plugins: [{ rules: { 'one-subject': oneSubject } }],
  rules: {
    'header-max-length': [2, 'always', 72],
    'one-subject': [2, 'always'],
    'body-leading-blank': [2, 'always'],
    // A body may say more, in lines as long as they have to be.
    'body-max-line-length': [0],
    'footer-leading-blank': [0],
    'footer-max-line-length': [0],
    // Subjects begin with names as they are written in code.
    'subject-case': [0],
    'subject-full-stop': [0],
  },
}
