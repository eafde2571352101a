import { type InvalidInput, invalid } from "@rollcall/input"

/**
 * Returns the error for a wrong command line. `flag` is the flag or the operand that is wrong, such as `--timeout` or `NODE`, if it is one.
 */
export const usageError = (message: string, flag = ""): InvalidInput => invalid("command line", flag, message)
