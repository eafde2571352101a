/**
 * `node:http` without an import: for that, Node would evaluate every export, and one loads its whole fetch, which is a tenth
 * of a server's start.
 */
export const nodeHttp = process.getBuiltinModule("node:http")
