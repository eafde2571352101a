import { internalError } from "@rollcall/api"
import type { StreamClient } from "../KubeletStream.ts"

/** What tells a client that its command succeeded. */
const success = { metadata: {}, status: "Success" }

/** Returns the Status of a command that has ended. Upstream: streamtranslator.go, codeExitToStatusError. */
const exitStatus = (code: number): object =>
  code === 0
    ? success
    : {
        metadata: {},
        status: "Failure",
        message: `command terminated with non-zero exit code: command terminated with exit code ${code}`,
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: String(code) }] }
      }

/** Returns the Status that tells a client how its command ended, or why it did not run. */
export const commandStatus = (status: Parameters<StreamClient["end"]>[0]): object =>
  typeof status === "object" ? internalError(status.error) : exitStatus(status ?? 0)

/** Returns what is written to a client's channel of errors: a Status, or in older protocols the text of a failure. */
export const statusText = (status: object, isStatus: boolean): string | undefined =>
  isStatus ? JSON.stringify(status) : "message" in status ? String(status.message) : undefined
