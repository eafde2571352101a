import { readRegularText, TextFileError } from "@rollcall/files"

/** The size limit of a manifest, in bytes. Upstream: pkg/kubelet/config/common.go maxConfigLength. */
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024

/** Upstream: k8s.io/utils/io ErrLimitReached. */
export const LIMIT_REACHED = "the read limit is reached"

/**
 * Reads a regular file that is shorter than the limit; throws for any other, with upstream's messages. Never blocks: a
 * path that became a FIFO since the stat is opened without waiting for a writer, and refused.
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
