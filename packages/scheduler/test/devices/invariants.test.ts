import type { Device, ResourceClaim, ResourceSlice } from "@rollcall/api"
import { value } from "@rollcall/api"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { allocate } from "../../src/devices/allocate.ts"
import { Slices } from "../../src/devices/pools.ts"
import { AllocationFault } from "../../src/devices/requests.ts"
import { withShareIds } from "../../src/devices/results.ts"
import { Selectors } from "../../src/devices/selectors.ts"
import { AllocatedDevices } from "../../src/devices/usage.ts"
import { nodeNamed } from "../withScheduler.ts"
import { allOf, claim, deviceClass, exactly, slice } from "./samples.ts"

const COUNTER = 8
const CAPACITY = 10

/** A part of a card, a device of its own, or one that claims share. */
const deviceArbitrary = fc.record({
  kind: fc.constantFrom("whole", "part", "shared"),
  amount: fc.integer({ min: 1, max: COUNTER }),
  model: fc.constantFrom("m1", "m2")
})

const requestArbitrary = fc.record({
  kind: fc.constantFrom("exactly", "all", "first", "share"),
  count: fc.integer({ min: 1, max: 3 }),
  amount: fc.integer({ min: 1, max: CAPACITY }),
  matches: fc.boolean()
})

const toDevice = ({ amount, kind, model }: { kind: string; amount: number; model: string }, index: number): Device => ({
  name: `d${index}`,
  attributes: { model: { string: model } },
  ...(kind === "part"
    ? { consumesCounters: [{ counterSet: "card", counters: { units: { value: String(amount) } } }] }
    : {}),
  ...(kind === "shared" ? { allowMultipleAllocations: true, capacity: { units: { value: String(CAPACITY) } } } : {})
})

const toClaim = (
  { amount, count, kind, matches }: { kind: string; count: number; amount: number; matches: boolean },
  index: number
): ResourceClaim => {
  const one = exactly("one", count, kind === "share" ? { capacity: { requests: { units: String(amount) } } } : {})
  const { exactly: spec = { deviceClassName: "gpu" } } = one
  const first = { name: "one", firstAvailable: [4, count].map((each) => ({ ...spec, name: `n${each}`, count: each })) }
  const request = kind === "all" ? allOf("one") : kind === "first" && count < 4 ? first : one
  return claim(`c${index}`, [request], matches ? { constraints: [{ matchAttribute: "gpu.example.com/model" }] } : {})
}

const poolOf = (devices: ReadonlyArray<Device>): ReadonlyArray<ResourceSlice> => {
  const pool = { name: "a", generation: 1, resourceSliceCount: 2 }
  const sharedCounters = [{ name: "card", counters: { units: { value: String(COUNTER) } } }]
  return [slice("a", [], { name: "counters", pool, sharedCounters }), slice("a", devices, { pool })]
}

describe("allocations", () => {
  it("never give a device to two claims, nor more of a counter or a capacity than there is", () => {
    fc.assert(
      fc.property(
        fc.array(deviceArbitrary, { minLength: 1, maxLength: 8 }),
        fc.array(requestArbitrary, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        (kinds, requests, together) => {
          const devices = kinds.map(toDevice)
          const slices = new Slices()
          for (const each of poolOf(devices)) slices.set(each.metadata.name ?? "", each)
          const usage = new AllocatedDevices()
          const inventory = {
            classes: new Map([["gpu", deviceClass("gpu")]]),
            slices,
            usage,
            selectors: new Selectors()
          }
          const claims = requests.map(toClaim)
          const results: Array<{
            readonly device: string
            readonly units: number | undefined
            readonly claim: number
          }> = []
          let shares = 0
          for (let at = 0; at < claims.length; at += together) {
            const batch = claims.slice(at, at + together)
            try {
              const found = allocate(inventory, nodeNamed("a"), batch)
              if (found._tag === "Unavailable") continue
              found.allocations.forEach((each, index) => {
                const allocation = withShareIds(each, () => String(shares++))
                usage.replace(undefined, { ...batch[index], status: { allocation } } as ResourceClaim)
                for (const { consumedCapacity, device } of allocation.devices?.results ?? []) {
                  const units = consumedCapacity?.units
                  results.push({ device, units: units === undefined ? undefined : value(units), claim: at + index })
                }
              })
            } catch (error) {
              if (!(error instanceof AllocationFault)) throw error
            }
          }
          let counted = 0
          for (const device of devices) {
            const holders = results.filter((result) => result.device === device.name)
            counted += holders.length === 0 ? 0 : value(device.consumesCounters?.[0]?.counters?.units?.value ?? 0)
            if (device.allowMultipleAllocations === true) {
              assert.isAtMost(
                holders.reduce((sum, { units = CAPACITY }) => sum + units, 0),
                CAPACITY
              )
            } else assert.isAtMost(holders.length, 1)
          }
          assert.isAtMost(counted, COUNTER)
        }
      ),
      { numRuns: 300 }
    )
  })
})
