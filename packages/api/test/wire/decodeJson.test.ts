import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { parseExactly } from "../../src/exactJson.ts"
import type { KindName } from "../../src/index.ts"
import { decodeJson, decodeValue, parseJson } from "../../src/wire/decode/index.ts"
import { wireTypeOf, wireTypeOfGvk } from "../../src/wire/index.ts"
import { Pod, PodWithoutText, WithWrittenFields } from "./types.ts"

const read = (text: string) => decodeJson(Pod, text)
const failure = (text: string) => {
  const result = read(text)
  return Result.isFailure(result) ? result.failure : `no failure: ${JSON.stringify(result.success)}`
}
const success = (text: string) => Result.getOrThrow(read(text))
const spec = (inner: string) => `{"kind":"Pod","apiVersion":"v1","spec":{${inner}}}`

describe("a valid body", () => {
  it("is returned as the parsed value itself", () => {
    const text = spec(
      '"containers":[{"name":"a\\"b:","limits":{"cpu":"100m"}}],"renewTime":"2026-01-01T00:00:00.000000Z"'
    )
    const parsed = parseJson(text)
    const decoded = Result.getOrThrow(decodeJson(PodWithoutText, text, parsed))
    assert.strictEqual(decoded.value, Result.getOrThrow(parsed))
    assert.deepStrictEqual(decoded.strictErrors, [])
  })

  it("has no text when it comes from a patch", () => {
    const value = { spec: { args: ["x"] } }
    assert.strictEqual(Result.getOrThrow(decodeValue(PodWithoutText, value)).value, value)
    assert.deepStrictEqual(Result.getOrThrow(decodeValue(Pod, { spec: { zork: 1, args: null } })), {
      value: { spec: {} },
      strictErrors: ['unknown field "spec.zork"'],
      unknownFields: new Set(["spec"])
    })
  })
})

describe("wrong types", () => {
  const cases: ReadonlyArray<readonly [inner: string, message: string]> = [
    [
      '"containers":"x"',
      "json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container"
    ],
    [
      '"containers":[{"ports":[{"containerPort":1.5}]}]',
      "json: cannot unmarshal number 1.5 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32"
    ],
    [
      '"containers":[{"ports":[{"containerPort":2147483648}]}]',
      "json: cannot unmarshal number 2147483648 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32"
    ],
    [
      '"containers":[{"ports":[{"containerPort":1.0}]}]',
      "json: cannot unmarshal number 1.0 into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32"
    ],
    [
      '"containers":[7]',
      "json: cannot unmarshal number into Go struct field PodSpec.spec.containers of type v1.Container"
    ],
    [
      '"containers":[{"limits":"x"}]',
      "json: cannot unmarshal string into Go struct field Container.spec.containers.limits of type v1.ResourceList"
    ],
    ['"enabled":"true"', "json: cannot unmarshal string into Go struct field PodSpec.spec.enabled of type bool"],
    ['"args":[{}]', "json: cannot unmarshal object into Go struct field PodSpec.spec.args of type string"],
    [
      '"containers":[{"limits":{"cpu":"x"}}]',
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
    ],
    ['"data":"abc!"', "illegal base64 data at input byte 3"],
    ['"data":"abcde"', "illegal base64 data at input byte 4"],
    ['"renewTime":5', "json: cannot unmarshal number into Go struct field PodSpec.spec.renewTime of type string"],
    [
      '"containers":[{"probe":true}]',
      "json: cannot unmarshal bool into Go struct field Container.spec.containers.probe of type int32"
    ],
    ['"period":"5"', 'time: missing unit in duration "5"']
  ]
  for (const [inner, message] of cases) it(inner, () => assert.strictEqual(failure(spec(inner)), message))

  it("report the first mismatch, but a type with its own decoder stops at once", () => {
    assert.include(failure(spec('"enabled":1,"args":2')), "spec.enabled")
    assert.include(failure(spec('"enabled":1,"renewTime":"x"')), "parsing time")
  })

  const errorOf = (spec: string, kind: KindName = "Pod", field = "spec") => {
    const result = decodeJson(wireTypeOf(kind), `{"metadata":{"name":"n"},"${field}":${spec}}`)
    return Result.isFailure(result) ? result.failure.replace("json: cannot unmarshal ", "") : "none"
  }

  it("are those of a schema within what is a schema or something else", () => {
    const errorOfSchema = (schema: string) =>
      errorOf(`{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}`, "CustomResourceDefinition")
    for (const value of ['"a"', "1", "[]"])
      assert.strictEqual(errorOfSchema(`{"additionalItems":${value}}`), "boolean or JSON schema expected")
    for (const value of ["true", "{}", "null"])
      assert.strictEqual(errorOfSchema(`{"additionalItems":${value}}`), "none")
    assert.strictEqual(
      errorOfSchema('{"items":{"type":1}}'),
      "number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.type of type string"
    )
    assert.strictEqual(
      errorOfSchema('{"items":[{"x-kubernetes-validations":[{"rule":1}]}]}'),
      "number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.items.x-kubernetes-validations.rule of type string"
    )
    assert.strictEqual(
      errorOfSchema('{"dependencies":{"a":[1]}}'),
      "number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.dependencies of type string"
    )
    assert.strictEqual(errorOfSchema('{"items":1}'), "none")
    const text = '{"spec":{"versions":[{"schema":{"openAPIV3Schema":{"items":1,"default":2}}}]}}'
    const { value } = Result.getOrThrow(decodeJson(wireTypeOf("CustomResourceDefinition"), text))
    assert.include(JSON.stringify(value), '"openAPIV3Schema":{"default":2}')
  })

  it("calls maps and lists by their names in Go", () => {
    const ofRequest = "Go struct field CertificateSigningRequestSpec.spec.extra of type"
    const kind = "CertificateSigningRequest"
    assert.strictEqual(errorOf('{"extra":1}', kind), `number into ${ofRequest} map[string]v1.ExtraValue`)
    assert.strictEqual(errorOf('{"extra":{"a":1}}', kind), `number into ${ofRequest} v1.ExtraValue`)
    assert.strictEqual(errorOf('{"extra":{"a":[1]}}', kind), `number into ${ofRequest} string`)
    const ofDevice = "Go struct field Device.spec.devices.attributes of type"
    assert.strictEqual(
      errorOf('{"devices":[{"attributes":1}]}', "ResourceSlice"),
      `number into ${ofDevice} map[v1.QualifiedName]v1.DeviceAttribute`
    )
    const ofClaim = "Go struct field PersistentVolumeClaimStatus.status.allocatedResourceStatuses of type"
    assert.strictEqual(
      errorOf('{"allocatedResourceStatuses":{"a":1}}', "PersistentVolumeClaim", "status"),
      `number into ${ofClaim} v1.ClaimResourceStatus`
    )
  })

  it("calls string types by their names in Go", () => {
    assert.strictEqual(
      errorOf('{"restartPolicy":1}'),
      "number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy"
    )
    assert.strictEqual(
      errorOf('{"tolerations":[{"effect":[]}]}'),
      "array into Go struct field Toleration.spec.tolerations.effect of type v1.TaintEffect"
    )
    assert.strictEqual(errorOf('{"nodeName":1}'), "number into Go struct field PodSpec.spec.nodeName of type string")
    assert.strictEqual(
      errorOf('{"devices":{"requests":[{"exactly":{"allocationMode":1}}]}}', "ResourceClaim"),
      "number into Go struct field ExactDeviceRequest.spec.devices.requests.exactly.allocationMode of type v1.DeviceAllocationMode"
    )
    assert.strictEqual(
      errorOf('{"matchConstraints":{"resourceRules":[{"operations":[1]}]}}', "ValidatingAdmissionPolicy"),
      "number into Go struct field NamedRuleWithOperations.spec.matchConstraints.resourceRules.RuleWithOperations.operations of type v1.OperationType"
    )
    assert.strictEqual(
      errorOf('{"metrics":[{"type":1}]}', "HorizontalPodAutoscaler"),
      "number into Go struct field MetricSpec.spec.metrics.type of type v2.MetricSourceType"
    )
  })

  it.each([
    ["autoscaling/v2", "HorizontalPodAutoscaler", { spec: { metrics: [{ type: 1 }] } }, "v2.MetricSourceType"],
    [
      "flowcontrol.apiserver.k8s.io/v1",
      "FlowSchema",
      { spec: { rules: [{ subjects: [{ kind: 1 }] }] } },
      "v1.SubjectKind"
    ],
    ["rbac.authorization.k8s.io/v1", "RoleBinding", { subjects: [{ kind: 1 }] }, "string"]
  ] as const)("tells string types of %s %s from others of their names", (apiVersion, kind, rest, name) => {
    const [group = "", version = ""] = apiVersion.split("/")
    const type = wireTypeOfGvk({ group, version, kind })
    const result = type && decodeJson(type, JSON.stringify({ apiVersion, kind, ...rest }))
    assert.isTrue(result !== undefined && Result.isFailure(result) && result.failure.endsWith(` of type ${name}`))
  })

  it("of custom resources are left to their schema", () => {
    const text = spec('"enabled":"yes","zork":1')
    const decoded = Result.getOrThrow(decodeJson(Pod, text, parseJson(text), { structural: true }))
    assert.deepStrictEqual(decoded.value, { kind: "Pod", apiVersion: "v1", spec: { enabled: "yes" } })
    assert.deepStrictEqual(decoded.strictErrors, ['unknown field "spec.zork"'])
  })

  it("of custom resources come sorted, those in metadata first", () => {
    const text = '{"kind":"Pod","apiVersion":"v1","b":1,"a":1,"metadata":{"z":1}}'
    const decoded = Result.getOrThrow(decodeJson(Pod, text, parseJson(text), { structural: true }))
    const names = ["metadata.z", "a", "b"].map((name) => `unknown field "${name}"`)
    assert.deepStrictEqual(decoded.strictErrors, names)
    assert.deepStrictEqual([...decoded.unknownFields], ["b", "a", "metadata"])
  })

  it("of a value that Go converts from a map have no keys of maps, and are told each time", () => {
    const attributes = { model: { "z\u007f<": 1 }, b: { "z\u007f<": 2, y: 1 } }
    const slice = { spec: { devices: [{ name: "d", attributes }] } }
    const decoded = Result.getOrThrow(decodeValue(wireTypeOf("ResourceSlice"), slice, { isConverted: true }))
    const names = ["z\u007f<", "z\u007f<", "y"].map((name) => `unknown field "spec.devices[0].attributes.${name}"`)
    assert.deepStrictEqual(decoded.strictErrors, names)
    assert.deepStrictEqual([...decoded.unknownFields], ["spec"])
  })

  it("of what decodes itself name nothing around it where Go converts a value from a map", () => {
    const schema = wireTypeOf("CustomResourceDefinition")
    const definition = (items: unknown) => ({
      spec: { versions: [{ name: "v1", schema: { openAPIV3Schema: { properties: { p: { items } } } } }] }
    })
    const fault = (items: unknown) => {
      const decoded = decodeValue(schema, definition(items), { isConverted: true })
      return Result.isFailure(decoded) ? decoded.failure : ""
    }
    assert.strictEqual(fault([1]), "json: cannot unmarshal number into Go value of type v1.JSONSchemaProps")
    const field = "json: cannot unmarshal number into Go struct field JSONSchemaProps"
    assert.strictEqual(fault({ type: 1 }), `${field}.type of type string`)
    assert.strictEqual(fault({ items: [1] }), `${field}.items of type v1.JSONSchemaProps`)
  })

  it("quote names as Go does", () => {
    const text = '{"a\\u007f<é>\\u2028":1}'
    const decoded = Result.getOrThrow(decodeJson(Pod, text, parseJson(text)))
    assert.deepStrictEqual(decoded.strictErrors, ['unknown field "a\\x7f<é>\\u2028"'])
  })

  it("of custom resources are told by the name of their top-level field, whatever is in it", () => {
    const text = '{"kind":"Pod","apiVersion":"v1","spec.zork":1,"spec[0]":1,"\\"a\\"":1,"":1}'
    const decoded = Result.getOrThrow(decodeJson(Pod, text, parseJson(text), { structural: true }))
    assert.deepStrictEqual([...decoded.unknownFields], ["spec.zork", "spec[0]", '"a"', ""])
  })
})

describe("times", () => {
  const micro = "2006-01-02T15:04:05.000000Z07:00"
  const cases: ReadonlyArray<readonly [text: string, message: string]> = [
    ["yesterday", `parsing time "yesterday" as "${micro}": cannot parse "yesterday" as "2006"`],
    ["2021-03-04T05:06:07Z", `parsing time "2021-03-04T05:06:07Z" as "${micro}": cannot parse "Z" as ".000000"`],
    ["2021-13-04T05:06:07.000000Z", 'parsing time "2021-13-04T05:06:07.000000Z": month out of range'],
    ["2021-02-30T05:06:07.000000Z", 'parsing time "2021-02-30T05:06:07.000000Z": day out of range'],
    [
      "2021-02-03 05:06:07.000000Z",
      `parsing time "2021-02-03 05:06:07.000000Z" as "${micro}": cannot parse " 05:06:07.000000Z" as "T"`
    ],
    [
      "2021-02-03T05:06:07.000000",
      `parsing time "2021-02-03T05:06:07.000000" as "${micro}": cannot parse "" as "Z07:00"`
    ],
    [
      "2021-02-03T05:06:07.000000Zé",
      'parsing time "2021-02-03T05:06:07.000000Zé": extra text: "\\xc3\\xa9"'.replace('Zé"', 'Z\\xc3\\xa9"')
    ]
  ]
  for (const [text, message] of cases) {
    it(text, () => assert.strictEqual(failure(spec(`"renewTime":${JSON.stringify(text)}`)), message))
  }

  it("are returned as Go writes them", () => {
    const decoded = success(
      '{"metadata":{"creationTimestamp":"2021-03-04T07:06:07.9+02:00"},"spec":{"renewTime":"2021-03-04T07:06:07.000009+02:00"}}'
    )
    assert.deepStrictEqual(decoded.value, {
      metadata: { creationTimestamp: "2021-03-04T05:06:07Z" },
      spec: { renewTime: "2021-03-04T05:06:07.000009Z" }
    })
  })
})

describe("valid but unusual input", () => {
  it("reads null as the zero value", () => {
    const decoded = success('{"metadata":{"creationTimestamp":null},"spec":{"args":[null],"containers":null}}')
    assert.deepStrictEqual(decoded.value, { metadata: {}, spec: { args: [""] } })
    assert.deepStrictEqual(decoded.strictErrors, [])
  })

  it("adds replicas and availableReplicas to a StatefulSet's status", () => {
    const decoded = Result.getOrThrow(decodeJson(wireTypeOf("StatefulSet"), '{"status":{"readyReplicas":2}}'))
    const { status } = decoded.value as { readonly status: unknown }
    assert.deepStrictEqual(status, { replicas: 0, readyReplicas: 2, availableReplicas: 0 })
  })

  it("adds fields that Go always writes", () => {
    const decodedValue = (text: string) => Result.getOrThrow(decodeJson(WithWrittenFields, text)).value
    const zero = { name: "", inner: { port: 0, items: [] } }
    assert.deepStrictEqual(decodedValue("{}"), zero)
    assert.deepStrictEqual(decodedValue("null"), zero)
    assert.deepStrictEqual(decodedValue('{"inner":{},"name":null,"count":3}'), { ...zero, count: 3 })
  })

  it("adds them where it adds them to a value that others have, too, and leaves that unchanged", () => {
    const value = {
      kind: "Node",
      apiVersion: "v1",
      metadata: { name: "n" },
      spec: { taints: [{ key: "k", effect: "NoSchedule" }] },
      status: {
        addresses: [{ type: "Hostname", address: "a" }],
        conditions: [{ type: "Ready", status: "True" }],
        images: [{ names: ["i"] }],
        nodeInfo: { machineID: "m" }
      }
    }
    const text = JSON.stringify(value)
    const type = wireTypeOf("Node")
    const ofOthers = JSON.stringify(Result.getOrThrow(decodeValue(type, value)).value)
    assert.strictEqual(JSON.stringify(value), text)
    assert.include(ofOthers, '"kubeletVersion":""')
    assert.include(ofOthers, '"daemonEndpoints"')
    assert.strictEqual(JSON.stringify(Result.getOrThrow(decodeJson(type, text)).value), ofOthers)
  })

  it("makes quantities canonical", () => {
    assert.deepStrictEqual(success(spec('"containers":[{"limits":{"cpu":0.5,"memory":"1024Mi"}}]')).value, {
      kind: "Pod",
      apiVersion: "v1",
      spec: { containers: [{ limits: { cpu: "500m", memory: "1Gi" } }] }
    })
  })

  it("reports unknown and duplicate fields in the order of the text, each once", () => {
    const decoded = success(
      '{"zork":{"a":1,"a":2},"spec":{"containers":[{"name":"a","nme":1},{"name":"b","name":"c","nme":1}],"free":{"x":1,"x":2}},"zork":1,"Spec":{}}'
    )
    assert.deepStrictEqual(decoded.strictErrors, [
      'unknown field "zork"',
      'unknown field "spec.containers[0].nme"',
      'duplicate field "spec.containers[1].name"',
      'unknown field "spec.containers[1].nme"',
      'duplicate field "spec.free.x"',
      'unknown field "Spec"'
    ])
    assert.deepStrictEqual(decoded.value, { spec: { containers: [{ name: "a" }, { name: "c" }], free: { x: 2 } } })
  })

  it("merges what is given again into what it has", () => {
    const of = (text: string) => success(text).value
    assert.deepStrictEqual(of('{"metadata":{"name":"a"},"metadata":{"labels":{"x":"y"}}}'), {
      metadata: { name: "a", labels: { x: "y" } }
    })
    assert.deepStrictEqual(
      of('{"metadata":{"labels":{"x":"y","z":"1"}},"metadata":{"labels":{"z":"2"},"name":null}}'),
      {
        metadata: { labels: { x: "y", z: "2" } }
      }
    )
    assert.deepStrictEqual(of('{"metadata":{"name":"a","labels":{"x":"y"}},"metadata":{"name":null,"labels":null}}'), {
      metadata: { name: "a" }
    })
    const twice = '{"containers":[{"name":"a"},{"name":"b"}],"containers":[{"limits":{"cpu":"1"}}]}'
    assert.deepStrictEqual(of(`{"spec":${twice}}`), { spec: { containers: [{ name: "a", limits: { cpu: "1" } }] } })
  })

  it("reports at most a hundred of them", () => {
    const many = Array.from({ length: 150 }, (_, index) => `"u${index}":1`).join(",")
    const decoded = success(`{${many},"spec":{"zork":1}}`)
    assert.lengthOf(decoded.strictErrors, 100)
    assert.isTrue(decoded.unknownFields.has("spec"))
  })
})

describe("invalid JSON", () => {
  const cases: ReadonlyArray<readonly [text: string, message: string]> = [
    ["", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ["{bad}", "invalid character 'b' looking for beginning of object key string"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["1 2", "invalid character '2' after top-level value"],
    ["tru", "unexpected end of JSON input"],
    ["trux", "invalid character 'x' in literal true (expecting 'e')"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ["01", "invalid character '1' after top-level value"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\n"', "invalid character '\\n' in string literal"],
    ["é", "invalid character 'Ã' looking for beginning of value"],
    ["'", "invalid character '\\'' looking for beginning of value"]
  ]
  for (const [text, message] of cases) it(JSON.stringify(text), () => assert.strictEqual(failure(text), message))

  it("is refused beyond a nesting depth", () => {
    const nested = `{"spec":{"free":${"[".repeat(600)}${"]".repeat(600)}}}`
    assert.strictEqual(failure(nested), "invalid character '[' exceeded max depth")
  })

  it("always returns an error, and valid JSON never does", () => {
    const nearly = fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, insert]) => {
      const place = at % (json.length + 1)
      return json.slice(0, place) + insert + json.slice(place + 1)
    })
    fc.assert(
      fc.property(fc.oneof(fc.json(), nearly, fc.string()), (text) => {
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        const result = read(text)
        if (!valid) assert.isTrue(Result.isFailure(result))
        assert.strictEqual(Result.isFailure(parseJson(text)), !valid)
      }),
      { numRuns: 2000 }
    )
  })

  it("reads any JSON without throwing", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (free) => {
        const decoded = success(`{"spec":{"free":${free},"raw":${free}}}`)
        const expected = parseExactly(free)
        const value = decoded.value as { spec: { free: unknown } }
        assert.deepStrictEqual(value.spec.free, expected)
      })
    )
  })
})
