export { PlainConnection, type PlainServer } from "./PlainConnection.ts"
export type { PlainRequest } from "./PlainRequest.ts"
export type { PlainResponse } from "./PlainResponse.ts"
export { type PlainFields, readHead } from "./readHead.ts"
