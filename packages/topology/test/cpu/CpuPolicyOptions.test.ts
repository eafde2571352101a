import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { cpuPolicyOptionsFault } from "../../src/cpu/CpuPolicyOptions.ts"
import { cpuTopologyOf, noCpuPolicyOptions, parseCpuPolicyOptions } from "../../src/rules.ts"
import { dualSocket, fourNodes } from "./machines.ts"

const gatesOn = { CPUManagerPolicyAlphaOptions: true, CPUManagerPolicyBetaOptions: true }
const gatesOff = { CPUManagerPolicyAlphaOptions: false, CPUManagerPolicyBetaOptions: false }

const parseOrError = (options: Readonly<Record<string, string>>, gates = gatesOn) =>
  Result.merge(parseCpuPolicyOptions(options, gates))

describe("cpuManagerPolicyOptions", () => {
  it("enable one behaviour each, and none by default", () => {
    const fields = {
      "full-pcpus-only": "fullPcpusOnly",
      "distribute-cpus-across-numa": "distributeCpusAcrossNuma",
      "align-by-socket": "alignBySocket",
      "distribute-cpus-across-cores": "distributeCpusAcrossCores",
      "strict-cpu-reservation": "strictCpuReservation",
      "prefer-align-cpus-by-uncorecache": "preferAlignByUncoreCache"
    }
    assert.deepStrictEqual(parseOrError({}), noCpuPolicyOptions)
    assert.deepStrictEqual([...new Set(Object.values(noCpuPolicyOptions))], [false])
    for (const [name, field] of Object.entries(fields)) {
      assert.deepStrictEqual(parseOrError({ [name]: "true" }), { ...noCpuPolicyOptions, [field]: true })
      assert.deepStrictEqual(parseOrError({ [name]: "0" }), noCpuPolicyOptions)
    }
  })

  it("of alpha and beta level need their gate", () => {
    const refused = (level: string, name: string) =>
      `CPU Manager Policy ${level}-level Options not enabled, but option "${name}" provided`
    for (const name of ["align-by-socket", "distribute-cpus-across-cores"]) {
      assert.strictEqual(
        parseOrError({ [name]: "true" }, { ...gatesOn, CPUManagerPolicyAlphaOptions: false }),
        refused("Alpha", name)
      )
      assert.isObject(parseOrError({ [name]: "true" }, { ...gatesOff, CPUManagerPolicyAlphaOptions: true }))
    }
    const beta = "distribute-cpus-across-numa"
    assert.strictEqual(
      parseOrError({ [beta]: "true" }, { ...gatesOn, CPUManagerPolicyBetaOptions: false }),
      refused("Beta", beta)
    )
    assert.isObject(parseOrError({ [beta]: "true" }, { ...gatesOff, CPUManagerPolicyBetaOptions: true }))
    for (const name of ["full-pcpus-only", "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"]) {
      assert.isObject(parseOrError({ [name]: "true" }, gatesOff))
    }
  })

  it("are refused with the first invalid option by name", () => {
    const unreadable = 'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "x": invalid syntax'
    assert.strictEqual(parseOrError({ "x-option": "true", "full-pcpus-only": "x" }), unreadable)
    assert.strictEqual(
      parseOrError({ "full-pcpus-only": "x", "a-option": "true" }),
      'unknown CPU Manager Policy option: "a-option"'
    )
    assert.strictEqual(
      parseOrError({ "a-option": "true", "full-pcpus-only": "x" }),
      'unknown CPU Manager Policy option: "a-option"'
    )
  })

  it("are refused where two of them contradict each other", () => {
    const pairs = [
      ["full-pcpus-only", "distribute-cpus-across-cores"],
      ["distribute-cpus-across-numa", "distribute-cpus-across-cores"],
      ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-cores"],
      ["prefer-align-cpus-by-uncorecache", "distribute-cpus-across-numa"]
    ] as const
    for (const [one, other] of pairs) {
      const message = `static policy options ${one} and ${other} can not be used at the same time`
      assert.strictEqual(parseOrError({ [one]: "true", [other]: "true" }), message)
      assert.isObject(parseOrError({ [one]: "true", [other]: "false" }))
      assert.isObject(parseOrError({ [one]: "false", [other]: "true" }))
    }
  })
})

describe("align-by-socket", () => {
  const aligned = { ...noCpuPolicyOptions, alignBySocket: true }
  const topology = cpuTopologyOf(dualSocket)

  it("is refused with single-numa-node, and with more sockets than NUMA nodes", () => {
    assert.strictEqual(
      cpuPolicyOptionsFault(aligned, topology, "single-numa-node"),
      "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option"
    )
    assert.strictEqual(
      cpuPolicyOptionsFault(aligned, { ...topology, numSockets: 3 }, "restricted"),
      "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
    )
  })

  it("requires at least as many NUMA nodes as sockets; other options work on all machines", () => {
    assert.isUndefined(cpuPolicyOptionsFault(aligned, topology, "restricted"))
    assert.isUndefined(cpuPolicyOptionsFault(aligned, cpuTopologyOf(fourNodes), "best-effort"))
    assert.isUndefined(cpuPolicyOptionsFault(noCpuPolicyOptions, { ...topology, numSockets: 3 }, "single-numa-node"))
  })
})
