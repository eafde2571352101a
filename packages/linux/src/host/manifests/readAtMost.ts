import { readRegularText, TextFileError } from "@rollcall/files"

/** The longest manifest. Upstream: pkg/kubelet/config/common.go maxConfigLength. */
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024

/** Upstream: k8s.io/utils/io ErrLimitReached. */
export const LIMIT_REACHED = "the read limit is reached"

/**
 * The text of a regular file that is shorter than so many bytes; throws for any other, in upstream's words. Nothing waits: what has
 * become a FIFO since it was looked at is opened without a writer, and refused.
 */
export const readAtMost = (path: string, limitBytes: number): string => {
  try {
    return readRegularText(path, limitBytes - 1)
  } catch (error) {
    if (!(error instanceof TextFileError)) throw error
    if (error.reason === "tooLong") throw new Error(LIMIT_REACHED)
    if (error.reason === "folder" || error.reason === "notRegular") {
      throw new Error("manifest path is not a directory or file")
    }
    throw error.cause ?? error
  }
}
