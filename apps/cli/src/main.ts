#!/usr/bin/env node
import { enableOwnCompileCache } from "@rollcall/components/cache"

const folder = enableOwnCompileCache(process.env)
// The thread of the SQLite store inherits the environment, and so uses the same compile cache.
if (folder !== undefined) Object.assign(process.env, { NODE_COMPILE_CACHE: folder })
await import("./program.ts")
