#!/usr/bin/env node
import { startProgram } from "@rollcall/components/start"

void startProgram("rollcalld", () => import("./program.ts"))
