#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Node keeps what it compiled, in a folder of the user's: from the second start on, half the time to be ready.
enableCompileCache()
await import("./program.ts")
