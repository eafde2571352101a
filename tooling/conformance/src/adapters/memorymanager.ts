import type { HintLists, MachineMemory } from "@rollcall/topology"
import {
  allocateMemory,
  maskIds,
  maskOf,
  memoryHintLists,
  releaseBlocks,
  reservedMemoryError
} from "@rollcall/topology/rules"
import * as Result from "effect/Result"
import type { Adapter, Adapters, Json } from "../Adapter.ts"

const hints: Adapter = ({ given }) => {
  const memory: MachineMemory = given.machineState
  const reusable = new Map<bigint, Json>(
    given.initContainersReusable.map(({ bytes, numaNodes }: Json) => [maskOf(numaNodes), bytes])
  )
  const lists = memoryHintLists(memory, given.requested, (mask, kind) => reusable.get(mask)?.[kind] ?? 0)
  const hintResults = (list: HintLists[string]) =>
    list?.map(({ mask, preferred }) => ({ numaNodes: maskIds(mask ?? 0n), preferred }))
  return { hints: Object.fromEntries(Object.entries(lists).map(([kind, list]) => [kind, hintResults(list)])) }
}

const allocate: Adapter = ({ given }) => {
  const { affinity, machineState, preferred, requested } = given
  const affinityHint = { mask: affinity === null ? undefined : maskOf(affinity), preferred }
  return Result.match(allocateMemory(machineState, affinityHint, requested), {
    onFailure: (error) => ({ error }),
    onSuccess: ({ blocks, memory }) => ({ blocks, machineStateAfter: memory })
  })
}

const checkReserved: Adapter = ({ given }) => ({
  error: reservedMemoryError(given.numaNodes, given.nodeAllocatableReservation, given.reservedMemory) ?? null
})

export const memoryManagerAdapters: Adapters = {
  "memorymanager/allocate": allocate,
  "memorymanager/hints": hints,
  "memorymanager/release": ({ given }) => ({ machineStateAfter: releaseBlocks(given.machineState, given.release) }),
  "memorymanager/reserved-memory": checkReserved
}
