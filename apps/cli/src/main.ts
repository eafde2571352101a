#!/usr/bin/env node
import { startProgram } from "@rollcall/components/start"

await startProgram("rollcall", () => import("./program.ts"))
