import { filterNames } from "./filters/filterPrograms.ts"
import { modelledPrograms } from "./modelledPrograms.ts"

/** What is said in place of what a modelled container cannot do. */
export const notModelled = (command: string): string =>
  `rollcall: this container is modelled and cannot run ${JSON.stringify(command.slice(0, 200))}; it knows a small shell with ${PROGRAMS}\n`

const PROGRAMS = [
  ...new Set([
    "sh",
    "exit",
    "export",
    "read",
    "trap",
    ...Object.keys(modelledPrograms).filter((name) => /^\w/.test(name)),
    ...filterNames
  ])
]
  .toSorted()
  .join(", ")
