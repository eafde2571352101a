#!/usr/bin/env node
import { resolve } from "node:path"
import { lengthViolations, longFiles } from "./fileLengths.ts"
import { floorViolations, readMembers } from "./floors.ts"
import { fileCycles, folderViolations } from "./folders.ts"

// Checks the workspace in the given folder (default: the working directory): the floors, the order of folders in packages that declare one,
// that files form no import cycle, and their length. Exits with 1 if there is a violation.
const root = resolve(process.argv[2] ?? ".")
const members = readMembers(root)
const violations = [
  ...floorViolations(root, members),
  ...folderViolations(members),
  ...fileCycles(members),
  ...lengthViolations(root, members, process.argv[2] === undefined ? longFiles : {})
]
for (const violation of violations) process.stderr.write(`${violation}\n`)
if (members.length === 0) process.stderr.write(`${root}: no workspace members\n`)
process.exit(violations.length === 0 && members.length > 0 ? 0 : 1)
