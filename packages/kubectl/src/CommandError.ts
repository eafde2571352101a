import type { ClusterError } from "@rollcall/cluster"
import * as Schema from "effect/Schema"

/** Ends a command with a text on stderr and exit code 1. */
export class CommandError extends Schema.TaggedError<CommandError>()("CommandError", { text: Schema.String }) {
  override get message(): string {
    return this.text
  }
}

/** Returns the error of a command with kubectl's prefix: `error: MESSAGE`. */
export const commandError = (message: string): CommandError => new CommandError({ text: `error: ${message}` })

/** Returns the error of a wrong use of a command, with a hint to its help. */
export const usageError = (command: string, message: string): CommandError =>
  new CommandError({ text: `error: ${message}\nSee 'kubectl ${command} -h' for help and examples` })

const invalidText = (error: ClusterError & { readonly _tag: "ApiError" }): string => {
  const { causes = [], kind = "", name = "" } = error.status.details ?? {}
  const head = `The ${kind}${name === "" ? "" : ` ${JSON.stringify(name)}`} is invalid`
  if (causes.length === 0) return `${head}: ${error.message}`
  const lines = [...new Set(causes.map(({ field, message }) => (field ? `${field}: ${message}` : `${message}`)))]
  return lines.length === 1 ? `${head}: ${lines[0]}` : `${head}: \n${lines.map((line) => `* ${line}`).join("\n")}`
}

const conflictAdvice = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).
See https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts`

const isApplyConflict = (error: ClusterError & { readonly _tag: "ApiError" }): boolean =>
  error.reason === "Conflict" &&
  (error.status.details?.causes?.some(({ reason }) => reason === "FieldManagerConflict") ?? false)

/** The prefix of a request error: its method and URL. */
const REQUEST = /^[A-Z][a-z]+ "[^"]*": /

/**
 * Returns kubectl's message for an error of the server. Upstream: kubectl/pkg/cmd/util/helpers.go,
 * StandardErrorMessage.
 */
export const serverErrorText = (error: ClusterError, server: string, prefix = ""): string => {
  if (error._tag === "ConnectionError") {
    const host = server.replace(/^https?:\/\//, "").replace(/\/.*$/, "")
    return /refused/i.test(error.message)
      ? `The connection to the server ${host} was refused - did you specify the right host or port?`
      : `Unable to connect to the server: ${error.message.replace(REQUEST, "")}`
  }
  const before = prefix === "" ? "" : `${prefix}: `
  if (error.reason === "Invalid") return before === "" ? invalidText(error) : `${invalidText(error)}`
  if (error.reason === "Unauthorized") return `error: You must be logged in to the server (${error.message})`
  if (isApplyConflict(error)) return `error: ${error.message}\n${conflictAdvice}`
  const reason = error.reason === "" || error.reason === "Unknown" ? "" : ` (${error.reason})`
  return `Error from server${reason}: ${before}${error.message}`
}
