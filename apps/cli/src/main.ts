#!/usr/bin/env node
import { startProgram } from "@rollcall/components/start"

void startProgram("rollcall", () => import("./program.ts"))
