#!/usr/bin/env node
import { constants, enableCompileCache } from "node:module"

// Node keeps what it compiled, in a folder of the user's: from the second start on, half the time to be ready.
const { directory, status } = enableCompileCache()
// The store's thread learns of the folder by its environment.
if (status === constants.compileCacheStatus.ENABLED) Object.assign(process.env, { NODE_COMPILE_CACHE: directory })
await import("./program.ts")
