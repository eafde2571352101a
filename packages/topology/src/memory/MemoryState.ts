import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Checkpoint, checkpointDirectory } from "../hints.ts"
import { checkpointText, readCheckpointText, restoreError } from "../internal/checkpointText.ts"
import type { MachineMemory, MemoryBlock } from "./MachineMemory.ts"

export const memoryStateFile = "memory_manager_state"

type Blocks = ReadonlyArray<MemoryBlock>

/** Who holds what; a mutable thing of the manager. */
export interface MemoryState {
  /** No nodes: nothing was ever set up. */
  machine: MachineMemory
  /** By pod and container. */
  readonly entries: Map<string, Map<string, Blocks>>
  /** Of pods that are managed as a whole. */
  readonly podEntries: Map<string, Blocks>
}

export const emptyMemoryState = (): MemoryState => ({ machine: {}, entries: new Map(), podEntries: new Map() })

const Block = Schema.Struct({
  numaAffinity: Schema.Array(Schema.Int),
  type: Schema.String,
  size: Schema.Int
})
const Table = Schema.Struct({
  total: Schema.Int,
  systemReserved: Schema.Int,
  allocatable: Schema.Int,
  reserved: Schema.Int,
  free: Schema.Int
})
const Saved = Schema.Struct({
  policyName: Schema.String,
  machineState: Schema.Record(
    Schema.String,
    Schema.Struct({
      numberOfAssignments: Schema.Int,
      memoryMap: Schema.Record(Schema.String, Table),
      cells: Schema.Array(Schema.Int)
    })
  ),
  entries: Schema.optionalKey(Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Array(Block)))),
  podEntries: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Block)))
})
const decodeSaved = Schema.decodeUnknownOption(Saved)

const orUndefined = <A>(map: ReadonlyMap<string, A>): ReadonlyMap<string, A> | undefined =>
  map.size === 0 ? undefined : map

/** The file's text. Upstream: memorymanager/state/checkpoint.go. */
export const memoryStateText = (policyName: string, state: MemoryState): string => {
  const entries = orUndefined(state.entries)
  const podEntries = orUndefined(state.podEntries)
  return checkpointText({
    policyName,
    machineState: state.machine,
    ...(entries === undefined
      ? {}
      : { entries: Object.fromEntries([...entries].map(([uid, blocks]) => [uid, Object.fromEntries(blocks)])) }),
    ...(podEntries === undefined ? {} : { podEntries: Object.fromEntries(podEntries) })
  })
}

const parseMemoryState = (text: string, policyName: string): Result.Result<MemoryState, string> => {
  const fields = readCheckpointText(text)
  if (Result.isFailure(fields)) return Result.fail(fields.failure)
  const decoded = decodeSaved(fields.success)
  if (Option.isNone(decoded)) return Result.fail("checkpoint is corrupted")
  const saved = decoded.value
  if (saved.policyName !== policyName) {
    const [is, was] = [JSON.stringify(policyName), JSON.stringify(saved.policyName)]
    return Result.fail(`[memorymanager] configured policy ${is} differs from state checkpoint policy ${was}`)
  }
  const entries = Object.entries(saved.entries ?? {}).map(
    ([uid, blocks]) => [uid, new Map(Object.entries(blocks))] as const
  )
  return Result.succeed({
    machine: saved.machineState,
    entries: new Map(entries),
    podEntries: new Map(Object.entries(saved.podEntries ?? {}))
  })
}

/** What the file says, an empty state where there is none; or why the kubelet does not start. */
export const restoreMemoryState = (
  checkpoint: Checkpoint | undefined,
  policyName: string
): Result.Result<MemoryState, string> => {
  const text = checkpoint?.read(memoryStateFile)
  if (checkpoint === undefined || text === undefined) return Result.succeed(emptyMemoryState())
  return Result.mapError(parseMemoryState(text, policyName), (cause) =>
    restoreError(cause, "memory", checkpointDirectory(checkpoint), memoryStateFile)
  )
}
