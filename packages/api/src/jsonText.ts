/** JSON without losing digits of an int64; this module loads no kinds. */

export { exactInteger, holdsLiterals, parseExactly } from "./exactJson.ts"
