#!/usr/bin/env node
import { startProgram } from "@rollcall/components/start"
import { restartWithHeap } from "./rehearsalHeap.ts"

restartWithHeap(process.env)
void startProgram("rollcall", () => import("./program.ts"))
