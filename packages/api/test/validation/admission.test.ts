import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { decodeObject, type KindName, kindOf } from "../../src/index.ts"
import { fieldErrorText } from "../../src/validation/index.ts"

/** The errors of an object as the server reads it: decoded and defaulted. */
const faults = <K extends KindName>(kind: K, object: object): ReadonlyArray<string> => {
  const read = Effect.runSync(decodeObject(kind, { metadata: { name: "a" }, ...object }))
  return kindOf(kind).validation.create(kindOf(kind).defaults(read)).map(fieldErrorText)
}

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }
const matchConstraints = { resourceRules: [rule] }
const policy = (spec: object) =>
  faults("ValidatingAdmissionPolicy", { spec: { matchConstraints, validations: [{ expression: "true" }], ...spec } })

// The messages are those of kube-apiserver v1.36.2.

describe("rules of policies and webhooks", () => {
  const resources = (...each: ReadonlyArray<string>) =>
    policy({ matchConstraints: { resourceRules: [{ ...rule, resources: each }] } })
  const at = "spec.matchConstraints.resourceRules[0].resources"

  it("name resources that do not overlap", () => {
    assert.deepStrictEqual(resources("pods", "pods/status", "*/scale"), [])
    assert.deepStrictEqual(resources("pods/*", "pods/status"), [
      `${at}[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`
    ])
    assert.deepStrictEqual(resources("*/*", "pods"), [
      `${at}: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`
    ])
    assert.deepStrictEqual(resources(), [`${at}: Required value`])
  })

  it("name operations, groups and versions, or an asterisk alone", () => {
    const given = { ...rule, operations: ["*", "CREATE"], apiVersions: [""] }
    assert.deepStrictEqual(policy({ matchConstraints: { resourceRules: [given] } }), [
      `spec.matchConstraints.resourceRules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`,
      "spec.matchConstraints.resourceRules[0].apiVersions[0]: Required value"
    ])
  })
})

describe("validating admission policies", () => {
  it("need validations or annotations", () => {
    const text = "Required value: validations or auditAnnotations must contain at least one item"
    assert.deepStrictEqual(policy({ validations: [] }), [`spec.validations: ${text}`, `spec.auditAnnotations: ${text}`])
    assert.deepStrictEqual(policy({ auditAnnotations: [{ key: "k", valueExpression: " " }] }), [
      "spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified"
    ])
  })

  it("name a kind of parameters", () => {
    assert.deepStrictEqual(policy({ paramKind: { apiVersion: "a/b/c", kind: "X_y" } }), [
      `spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
      `spec.paramKind.kind: Invalid value: "X_y": may have mixed case, but should otherwise match: a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')`
    ])
  })
})

describe("bindings", () => {
  it("refer to parameters by name or by labels", () => {
    const spec = {
      policyName: "p",
      validationActions: ["Deny", "Warn", "Warn"],
      paramRef: { name: "x", selector: {} }
    }
    assert.deepStrictEqual(faults("ValidatingAdmissionPolicyBinding", { spec }), [
      "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
      "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
      "spec.paramRef.parameterNotFoundAction: Required value",
      `spec.validationActions[2]: Duplicate value: "Warn"`,
      `spec.validationActions: Invalid value: ["Deny","Warn","Warn"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)`
    ])
  })
})

describe("mutating admission policies", () => {
  it("handle no deletions, and have one patch in a mutation", () => {
    const spec = {
      matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE"] }] },
      mutations: [{ patchType: "JSONPatch", applyConfiguration: { expression: "x" } }],
      reinvocationPolicy: "Never"
    }
    assert.deepStrictEqual(faults("MutatingAdmissionPolicy", { spec }), [
      `spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"`,
      "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
      `spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch`
    ])
  })
})

describe("URLs of webhooks", () => {
  const faultOf = (url: string) => {
    const webhook = { name: "a.example.com", sideEffects: "None", admissionReviewVersions: ["v1"], rules: [rule] }
    return faults("ValidatingWebhookConfiguration", { webhooks: [{ ...webhook, clientConfig: { url } }] })
  }
  it.each([
    ["::", '"::": missing protocol scheme'],
    ["1a://x", '"1a://x": first path segment in URL cannot contain colon'],
    ["https://x:port", '"https://x:port": invalid port ":port" after host'],
    ["https://a b/", '"https://a b/": invalid character " " in host name'],
    ["https://[::1", `"https://[::1": missing ']' in host`],
    ["https://u p@x", '"https://u p@x": net/url: invalid userinfo'],
    ["https://x/%zz", '"https://x/%zz": invalid URL escape "%zz"'],
    ["https://x#%zz", '"https://x#%zz": invalid URL escape "%zz"'],
    ["https://x\n", '"https://x\\n": net/url: invalid control character in URL']
  ])("are refused where Go cannot parse them: %j", (url, problem) =>
    assert.deepStrictEqual(faultOf(url), [
      `webhooks[0].clientConfig.url: Required value: url must be a valid URL: parse ${problem}; desired format: https://host[/path]`
    ])
  )
  it("are accepted otherwise, with any case of the scheme", () => {
    for (const url of ["HTTPS://X", "https://[::1]:8443/", "https://x/a b"]) assert.deepStrictEqual(faultOf(url), [])
    assert.deepStrictEqual(faultOf("https://x?a=b"), [
      'webhooks[0].clientConfig.url: Invalid value: "a=b": query parameters are not permitted in the URL'
    ])
  })
})
