#!/usr/bin/env node
import { resolve } from "node:path"
import { floorViolations, readMembers } from "./floors.ts"
import { fileCycles, folderViolations } from "./folders.ts"

/** Checks the floors of the workspace, the folders of packages that declare an order, and that files form no cycle, in the given folder (default: the
 * working directory). Exit 1 when one is broken. */
const root = resolve(process.argv[2] ?? ".")
const members = readMembers(root)
const violations = [...floorViolations(root, members), ...folderViolations(members), ...fileCycles(members)]
for (const violation of violations) process.stderr.write(`${violation}\n`)
if (members.length === 0) process.stderr.write(`${root}: no workspace members\n`)
process.exit(violations.length === 0 && members.length > 0 ? 0 : 1)
