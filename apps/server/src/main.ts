#!/usr/bin/env node
import { enableOwnCompileCache } from "@rollcall/components/cache"

const folder = enableOwnCompileCache(process.env)
// The store's thread learns of the folder by its environment.
if (folder !== undefined) Object.assign(process.env, { NODE_COMPILE_CACHE: folder })
await import("./program.ts")
