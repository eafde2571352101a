import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs"

/** The longest manifest. Upstream: pkg/kubelet/config/common.go maxConfigLength. */
export const MAX_MANIFEST_BYTES = 10 * 1024 * 1024

/** Upstream: k8s.io/utils/io ErrLimitReached. */
export const LIMIT_REACHED = "the read limit is reached"

const CHUNK_BYTES = 64 * 1024

/**
 * The text of a regular file that is shorter than so many bytes; throws for any other. Nothing waits: what has become a FIFO since it
 * was looked at is opened without a writer, and refused.
 */
export const readAtMost = (path: string, limitBytes: number): string => {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    if (!fstatSync(handle).isFile()) throw new Error("manifest path is not a directory or file")
    const chunks: Array<Buffer> = []
    let total = 0
    while (total < limitBytes) {
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, limitBytes - total))
      const bytes = readSync(handle, chunk)
      if (bytes === 0) return Buffer.concat(chunks, total).toString("utf8")
      chunks.push(chunk.subarray(0, bytes))
      total += bytes
    }
    throw new Error(LIMIT_REACHED)
  } finally {
    closeSync(handle)
  }
}
