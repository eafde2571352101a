#!/usr/bin/env node
import { enableOwnCompileCache } from "@rollcall/components/cache"

const folder = enableOwnCompileCache(process.env)
// The store's thread gets the folder through its environment.
if (folder !== undefined) Object.assign(process.env, { NODE_COMPILE_CACHE: folder })
await import("./program.ts")
