import * as Result from "effect/Result"
import { checksumOf } from "./checksum.ts"

/** The text of a checkpoint file: the fields in their order and a checksum over them. */
export const checkpointText = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...fields, checksum: checksumOf(JSON.stringify({ ...fields, checksum: 0 })) })

/**
 * The fields of a checkpoint file, if it is whole. A checksum of 0 stands for none, as upstream has it; upstream hashes a dump of its Go
 * structures, so a file of a real kubelet does not pass.
 */
export const readCheckpointText = (text: string): Result.Result<Readonly<Record<string, unknown>>, string> => {
  if (text.trim() === "") return Result.fail("unexpected end of JSON input")
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  const corrupted = Result.fail("checkpoint is corrupted")
  if (Result.isFailure(parsed) || typeof parsed.success !== "object" || parsed.success === null) return corrupted
  const fields: Readonly<Record<string, unknown>> = { ...parsed.success }
  const { checksum } = fields
  if (checksum === undefined || checksum === 0) return Result.succeed(fields)
  return checksum === checksumOf(JSON.stringify({ ...fields, checksum: 0 })) ? Result.succeed(fields) : corrupted
}

/** What the kubelet says of a state file that it cannot go on from. Upstream: state_checkpoint.go NewCheckpointState. */
export const restoreError = (cause: string, manager: "CPU" | "memory", directory: string, name: string): string =>
  `could not restore state from checkpoint: ${cause}, please drain this node and delete the ${manager} manager checkpoint file "${directory}/${name}" before restarting Kubelet`
