import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Checkpoint } from "../hints.ts"
import { restoreError } from "../internal/restoreError.ts"
import type { MachineMemory, MemoryBlock } from "./MachineMemory.ts"
import { isMemoryChecksum, memoryChecksum, type SavedMemory } from "./memoryChecksum.ts"

/** The name of the checkpoint file in the kubelet's root directory. */
export const memoryStateFile = "memory_manager_state"

type Blocks = ReadonlyArray<MemoryBlock>

/** The mutable memory assignments of the manager. */
export interface MemoryState {
  /** The machine's memory; empty until it is initialized. */
  machine: MachineMemory
  /** The blocks of containers, by pod uid and container name. */
  readonly entries: Map<string, Map<string, Blocks>>
  /** The blocks of pods that are managed at pod level, by uid. */
  readonly podEntries: Map<string, Blocks>
}

/** Makes a state without assignments. */
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
  podEntries: Schema.optionalKey(Schema.Record(Schema.String, Schema.Struct({ memoryBlocks: Schema.Array(Block) }))),
  checksum: Schema.optionalKey(Schema.Int)
})
const decodeSaved = Schema.decodeUnknownOption(Saved)

const toSaved = (policyName: string, state: MemoryState, withPods: boolean): SavedMemory => ({
  policyName,
  machineState: state.machine,
  entries: Object.fromEntries([...state.entries].map(([uid, blocks]) => [uid, Object.fromEntries(blocks)])),
  podEntries: withPods
    ? Object.fromEntries([...state.podEntries].map(([uid, memoryBlocks]) => [uid, { memoryBlocks }]))
    : undefined
})

/**
 * Returns the text of the checkpoint file, `withPods` as a kubelet writes it that manages pods at pod level. Upstream:
 * memorymanager/state/checkpoint.go.
 */
export const memoryStateText = (policyName: string, state: MemoryState, withPods: boolean): string => {
  const saved = toSaved(policyName, state, withPods)
  const { entries, machineState, podEntries } = saved
  return JSON.stringify({
    policyName,
    machineState,
    ...(state.entries.size === 0 ? {} : { entries }),
    ...(state.podEntries.size === 0 || !withPods ? {} : { podEntries }),
    checksum: memoryChecksum(saved)
  })
}

const corrupted = "checkpoint is corrupted"

/** Parses JSON. Fails with Go's error for a truncated text, and otherwise as upstream for a corrupted file. */
const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: (): unknown => JSON.parse(text),
    catch: (error) => {
      const position = /at position (\d+)/.exec(String(error))?.[1]
      const endsEarly = position === undefined ? /end of JSON/.test(String(error)) : Number(position) >= text.length
      return endsEarly ? "unexpected end of JSON input" : corrupted
    }
  })

const parseMemoryState = (text: string, policyName: string): Result.Result<MemoryState, string> => {
  const parsed = parseJson(text)
  if (Result.isFailure(parsed)) return Result.fail(parsed.failure)
  const decoded = decodeSaved(parsed.success)
  if (Option.isNone(decoded)) return Result.fail(corrupted)
  const { checksum = 0, entries = {}, podEntries, ...saved } = decoded.value
  if (!isMemoryChecksum(checksum, { ...saved, entries, podEntries })) return Result.fail(corrupted)
  if (saved.policyName !== policyName) {
    const [configured, found] = [JSON.stringify(policyName), JSON.stringify(saved.policyName)]
    return Result.fail(`[memorymanager] configured policy ${configured} differs from state checkpoint policy ${found}`)
  }
  return Result.succeed({
    machine: saved.machineState,
    entries: new Map(Object.entries(entries).map(([uid, blocks]) => [uid, new Map(Object.entries(blocks))])),
    podEntries: new Map(Object.entries(podEntries ?? {}).map(([uid, { memoryBlocks }]) => [uid, memoryBlocks]))
  })
}

/**
 * Returns the state in the checkpoint file, or an empty one without a file. Fails with the error that stops the
 * kubelet.
 */
export const restoreMemoryState = (
  checkpoint: Checkpoint | undefined,
  policyName: string
): Result.Result<MemoryState, string> => {
  const text = checkpoint?.read(memoryStateFile)
  if (checkpoint === undefined || text === undefined) return Result.succeed(emptyMemoryState())
  return Result.mapError(parseMemoryState(text, policyName), (cause) =>
    restoreError(cause, "memory", checkpoint, memoryStateFile)
  )
}
