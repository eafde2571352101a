/** Command lines by the rules of pflag and cobra. */

export {
  type Command,
  type CommandNode,
  type FoundCommand,
  findCommand,
  type Operands,
  readCommand,
  unknownCommand
} from "./Command.ts"
export { type Candidate, type Completion, complete } from "./complete.ts"
export { type Flag, type FlagOptions, type Flags, type FlagValues, formatValue, optional, required } from "./Flag.ts"
export { type FlagProblem, formatFlagProblem } from "./FlagProblem.ts"
export { readBool, readDuration } from "./goNumbers.ts"
export { commandHelp, groupHelp } from "./help.ts"
export { flag } from "./kinds.ts"
export { type Grammar, ineffectiveFlag, type Parsed, readFlags, writeFlags } from "./readFlags.ts"
export { COMPLETE, completionLines, completionScript, type Shell, shells } from "./shells.ts"
