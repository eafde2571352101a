import { releases } from "@rollcall/api"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { honouredFields, unsupportedFields } from "../../src/config/fields.ts"
import { earlierFlags, honouredFlags, kubeletFlags } from "../../src/config/flags.ts"
import {
  decodeKubeletConfiguration,
  noKubeletSettings,
  readKubeletFlags,
  removedFlags,
  removedFlagText,
  resolveKubelet
} from "../../src/index.ts"
import { type FieldType, fieldTypesOf } from "./describe.ts"

const fields = fieldTypesOf({ ...honouredFields, ...unsupportedFields })
const namedFields = Object.entries(fields).filter(([name]) => name !== "apiVersion" && name !== "kind")

const samples: Readonly<Record<string, unknown>> = {
  text: "x",
  boolean: false,
  int32: -3,
  int64: 2 ** 40,
  number: 0.5,
  duration: "1m30s",
  durationOrNanoseconds: 5,
  quantity: "1Gi"
}

const sampleOf = (type: FieldType): unknown => {
  if (typeof type === "string") return samples[type]
  if ("list" in type) return [sampleOf(type.list)]
  if ("map" in type) return { key: sampleOf(type.map) }
  return Object.fromEntries(Object.entries(type.fields).map(([name, inner]) => [name, sampleOf(inner)]))
}

const decode = (value: unknown) => decodeKubeletConfiguration("s.yaml", value, { embeddedAt: "at" })

describe("a KubeletConfiguration", () => {
  for (const [name, type] of namedFields) {
    it(`has ${name}`, () => {
      const value = { [name]: sampleOf(type) }
      const { layer, warnings } = Result.getOrThrow(decode(value))
      assert.deepStrictEqual(layer.fields, value)
      const ineffective = Object.hasOwn(unsupportedFields, name)
      assert.deepStrictEqual(warnings, ineffective ? [`s.yaml: at.${name} is not supported and has no effect`] : [])

      // NaN and a nested list are of no type that a field may have.
      const wrong = Result.getOrThrow(Result.flip(decode({ [name]: [[Number.NaN]] }))).problems
      assert.isNotEmpty(wrong)
      assert.isTrue(wrong.every(({ path }) => path.startsWith(`at.${name}`)))
    })
  }

  it("treats null as absent", () => {
    const { warnings } = Result.getOrThrow(decode({ maxPods: null, clusterDNS: null }))
    assert.deepStrictEqual(warnings, [])
  })

  it("reports all problems together", () => {
    const problems = Result.getOrThrow(Result.flip(decode({ maxPods: "1", port: true, evictionHrd: {} }))).problems
    assert.deepStrictEqual(
      problems.map(({ message, path }) => `${path}: ${message}`),
      [
        'at.evictionHrd: unknown field; did you mean "evictionHard"?',
        "at.port: found true, expected a whole number of at most 32 bits",
        'at.maxPods: found "1", expected a whole number of at most 32 bits'
      ]
    )
  })
})

describe("any KubeletConfiguration", () => {
  it("is accepted or refused with its file and path, and never throws", () => {
    const release = releases["1.36"]
    const fieldName = fc.constantFrom(...namedFields.map(([name]) => name))
    const one = fc.oneof(fc.anything(), fc.array(fc.constant(null)), fc.dictionary(fc.string(), fc.constant(null)))
    fc.assert(
      fc.property(fc.dictionary(fieldName, one, { maxKeys: 4 }), (value) => {
        const read = decode(value)
        const resolved = Result.flatMap(read, ({ layer }) =>
          resolveKubelet({ ...noKubeletSettings, base: layer }, release)
        )
        if (Result.isSuccess(resolved)) return
        assert.strictEqual(resolved.failure._tag, "InvalidInput")
        for (const { file, message, path } of resolved.failure.problems) {
          assert.strictEqual(file, "s.yaml")
          assert.isTrue(path.startsWith("at"), path)
          assert.notStrictEqual(message, "")
        }
      }),
      { numRuns: 500 }
    )
  })

  it("has no null in its lists", () => {
    const refused = Result.getOrThrow(Result.flip(decode({ registerWithTaints: [null], tlsCipherSuites: ["a", null] })))
    assert.strictEqual(
      refused.message,
      [
        "s.yaml: at.registerWithTaints[0]: found null, expected an object",
        "s.yaml: at.tlsCipherSuites[1]: found null, expected a text"
      ].join("\n")
    )
  })
})

describe("flags in a file", () => {
  const read = (...texts: ReadonlyArray<string>) =>
    readKubeletFlags({ file: "s.yaml", path: "flags" }, texts, releases["1.36"])
  const values = (...texts: ReadonlyArray<string>) => Result.getOrThrow(read(...texts)).values
  const problem = (...texts: ReadonlyArray<string>) =>
    Result.getOrThrow(Result.flip(read(...texts))).problems.map(({ message, path }) => `${path}: ${message}`)

  it("set existing fields, each name once", () => {
    const known = (path: string) =>
      path
        .split(".")
        .reduce<FieldType | undefined>(
          (type, name) => (typeof type === "object" && "fields" in type ? type.fields[name] : undefined),
          { fields }
        )
    for (const { field, name } of kubeletFlags) if (field !== undefined) assert.isDefined(known(field), name)
    const names = [...kubeletFlags, ...removedFlags].map(({ name }) => name)
    // Those that an early release heeds are in both.
    assert.strictEqual(new Set(names).size, names.length - earlierFlags.length)
    for (const { name } of earlierFlags) assert.isTrue(removedFlags.some((flag) => flag.name === name))
    for (const { field = "", name } of honouredFlags) assert.isFalse(Object.hasOwn(unsupportedFields, field), name)
  })

  it("are read as pflag reads them", () => {
    assert.deepStrictEqual(values("--max-pods=0x1f", "--pods-per-core=017", "--oom-score-adj=-999"), {
      "max-pods": 31,
      "pods-per-core": 15,
      "oom-score-adj": -999
    })
    assert.deepStrictEqual(values("--register-node", "--fail-swap-on=F", "--node_ip=::1"), {
      "register-node": true,
      "fail-swap-on": false,
      "node-ip": "::1"
    })
    assert.deepStrictEqual(values("--system-reserved= cpu = 1 ,,memory=1Gi", "--system-reserved=cpu=2"), {
      "system-reserved": { cpu: "2", memory: "1Gi" }
    })
    assert.deepStrictEqual(values("--cpu-manager-policy-options=a=b,c"), { "cpu-manager-policy-options": { a: "b,c" } })
    assert.deepStrictEqual(values("--allowed-unsafe-sysctls=a,b", "--allowed-unsafe-sysctls=c"), {
      "allowed-unsafe-sysctls": ["a", "b", "c"]
    })
    assert.deepStrictEqual(values("--register-with-taints=a:NoSchedule", "--register-with-taints="), {
      "register-with-taints": []
    })
    assert.deepStrictEqual(values("--manifest-url-header=a:x,b:y,a:z"), {
      "manifest-url-header": { a: ["x", "z"], b: ["y"] }
    })
  })

  it("are refused by their place in the list", () => {
    assert.deepStrictEqual(problem("--max-pods=1", "max-pods"), [
      'flags[1]: kubelet does not take any arguments, got ["max-pods"]'
    ])
    assert.deepStrictEqual(problem("--max-pds=1"), ['flags[0]: unknown flag: --max-pds; did you mean "--max-pods"?'])
    assert.deepStrictEqual(problem("--max-pods=x"), [
      'flags[0]: invalid argument "x" for "--max-pods" flag: strconv.ParseInt: parsing "x": invalid syntax; expected a whole number of at most 32 bits'
    ])
    assert.deepStrictEqual(problem("--container-runtime=remote"), [
      "flags[0]: --container-runtime is no flag of kubelet 1.36 any more; containers run by the Container Runtime Interface only"
    ])
  })

  it("without effect are named", () => {
    assert.deepStrictEqual(Result.getOrThrow(read("--cluster-dns=1.1.1.1", "--wholly-unheard-of=1")).warnings, [
      "s.yaml: flags[0]: --cluster-dns is not supported and has no effect",
      "s.yaml: flags[1]: --wholly-unheard-of is not supported and has no effect"
    ])
  })

  it("are accepted until their last release", () => {
    assert.isUndefined(removedFlagText("container-runtime", releases["1.26"]))
    assert.isDefined(removedFlagText("container-runtime", releases["1.31"]))
    assert.isUndefined(removedFlagText("max-pods", releases["1.36"]))
  })
})
