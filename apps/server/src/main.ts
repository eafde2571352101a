#!/usr/bin/env node
import { startProgram } from "@rollcall/components/start"

await startProgram("rollcalld", () => import("./program.ts"))
