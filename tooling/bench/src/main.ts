import { benchEviction } from "./eviction.ts"

await benchEviction()
