import { assert, describe, it } from "@effect/vitest"
import type { CertificateSigningRequest, KubeObject } from "@rollcall/api"
import { fieldErrorText } from "@rollcall/api/validation"
import * as Result from "effect/Result"
import type { AdmissionAttributes, AdmissionContext } from "../../src/core/admission/Admission.ts"
import type { Authorizer } from "../../src/core/ports/Security.ts"
import { kindTable } from "../../src/core/registry/table.ts"
import { certificatePlugins } from "../../src/security/admission/certificates.ts"
import { nodeRestriction } from "../../src/security/admission/NodeRestriction.ts"
import { withCertificateChecks } from "../../src/security/certificateRules.ts"

/** Requests of the groups `dev` (alice) and `system:masters` (x), made by OpenSSL 3. */
const requestOf = (lines: ReadonlyArray<string>): string =>
  Buffer.from(`-----BEGIN CERTIFICATE REQUEST-----\n${lines.join("\n")}\n-----END CERTIFICATE REQUEST-----\n`).toString(
    "base64"
  )
const privileged = requestOf([
  "MIHgMIGHAgEAMCUxFzAVBgNVBAoMDnN5c3RlbTptYXN0ZXJzMQowCAYDVQQDDAF4",
  "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2i1y8opptlHnxzkX/qbwf8cgX7hJ",
  "pIblszs+qPLnAqpDB1g+l9GTkuO7FUgCliaEi9gKxP21WEran/0V8xcIVqAAMAoG",
  "CCqGSM49BAMCA0gAMEUCIQDReGC1HbIAPRUsnHo71l8d8WRyrp0y0cbIlF3RMLHP",
  "KAIgB9oUbD7LrRjhUTRUwxxfXTqUSPRIuqJtXBUReg+X+SE="
])

const csr = (
  spec: Partial<CertificateSigningRequest["spec"]>,
  status?: CertificateSigningRequest["status"]
): CertificateSigningRequest => ({
  apiVersion: "certificates.k8s.io/v1",
  kind: "CertificateSigningRequest",
  metadata: { name: "a" },
  spec: { request: privileged, signerName: "example.com/x", usages: ["client auth"], ...spec },
  ...(status && { status })
})

const authorizerOf = (...allowed: ReadonlyArray<string>): Authorizer => ({
  authorize: ({ name, resource, verb }) => ({
    decision: allowed.includes(`${verb} ${resource} ${name}`) ? "Allow" : "NoOpinion",
    reason: ""
  }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false })
})

const context: AdmissionContext = {
  reader: { get: () => undefined, list: () => [], observe: () => undefined },
  now: () => 0,
  makeName: (base) => base,
  updateStatus: () => {}
}

type Write = Pick<AdmissionAttributes, "object" | "oldObject" | "subresource" | "verb">

const attributesOf = (write: Write): AdmissionAttributes => ({
  ...write,
  kind: "CertificateSigningRequest",
  resource: kindTable.CertificateSigningRequest.resource,
  namespace: "",
  name: "a",
  userInfo: { user: "alice", groups: ["dev"], uid: "7", extra: { k: ["v"] } },
  dryRun: false
})

/** Runs the plugins that handle the write; returns the object, or why it is refused. */
const admit = (authorizer: Authorizer, write: Write): KubeObject | string | undefined => {
  let attributes = attributesOf(write)
  const plugins = certificatePlugins(authorizer).filter(({ admits }) =>
    admits(attributes.kind, write.verb, write.subresource)
  )
  for (const plugin of plugins) {
    const result = plugin.mutate?.(attributes, context)
    if (result !== undefined && Result.isSuccess(result)) attributes = { ...attributes, object: result.success }
  }
  for (const plugin of plugins) {
    const refusal = plugin.validate?.(attributes, context)
    if (refusal !== undefined) return refusal.message
  }
  return attributes.object
}

describe("requests for certificates", () => {
  it("say who makes them, whatever their author writes", () => {
    const object = admit(authorizerOf(), {
      verb: "create",
      subresource: undefined,
      object: csr({ username: "bob", groups: ["system:masters"] }),
      oldObject: undefined
    })
    const { extra, groups, uid, username } = (object as CertificateSigningRequest).spec
    assert.deepStrictEqual([username, groups, uid, extra], ["alice", ["dev"], "7", { k: ["v"] }])
  })

  it("never make a user a member of system:masters", () => {
    const signerName = "kubernetes.io/kube-apiserver-client"
    const write = { verb: "create", subresource: undefined, object: csr({ signerName }), oldObject: undefined } as const
    assert.strictEqual(
      admit(authorizerOf(), write),
      'certificatesigningrequests.certificates.k8s.io "a" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed'
    )
  })

  it("are approved and signed by who may do so for the signer or its domain", () => {
    const approved = csr({}, { conditions: [{ type: "Approved", status: "True" }] })
    const approval = { verb: "update", subresource: "approval", object: approved, oldObject: csr({}) } as const
    assert.strictEqual(
      admit(authorizerOf(), approval),
      'certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to approve requests with signerName "example.com/x"'
    )
    const dated = admit(authorizerOf("approve signers example.com/*"), approval) as CertificateSigningRequest
    assert.strictEqual(dated.status?.conditions?.[0]?.lastTransitionTime, "1970-01-01T00:00:00Z")
    const signed = csr({}, { certificate: "eA==" })
    const status = { verb: "update", subresource: "status", object: signed, oldObject: csr({}) } as const
    assert.include(String(admit(authorizerOf(), status)), "user not permitted to sign requests")
    assert.isObject(admit(authorizerOf("sign signers example.com/x"), status))
    assert.isObject(admit(authorizerOf(), { ...status, object: csr({}) }))
  })

  it("contain a request with the signature of its key", () => {
    const { validate, validateStatusUpdate } = withCertificateChecks(kindTable.CertificateSigningRequest)
    assert.deepStrictEqual(validate(csr({})), [])
    assert.deepStrictEqual(validate(csr({ request: "aGVsbG8=" })).map(fieldErrorText), [
      'spec.request: Invalid value: "aGVsbG8=": PEM block type must be CERTIFICATE REQUEST'
    ])
    const certificate = Buffer.from("-----BEGIN FOO-----\nAAAA\n-----END FOO-----\n").toString("base64")
    const stored: CertificateSigningRequest = { ...csr({}), metadata: { name: "a", resourceVersion: "1" } }
    const signed: CertificateSigningRequest = { ...stored, status: { certificate } }
    assert.deepStrictEqual(validateStatusUpdate(signed, stored).map(fieldErrorText), [
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "FOO"'
    ])
  })
})

describe("the request of a kubelet", () => {
  const signed = requestOf([
    "MIIBHTCBxAIBADAwMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFzAVBgNVBAMMDnN5",
    "c3RlbTpub2RlOm4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2i1y8opptlHn",
    "xzkX/qbwf8cgX7hJpIblszs+qPLnAqpDB1g+l9GTkuO7FUgCliaEi9gKxP21WEra",
    "n/0V8xcIVqAyMDAGCSqGSIb3DQEJDjEjMCEwHwYDVR0RBBgwFoIObjEuZXhhbXBs",
    "ZS5jb22HBAoAAAcwCgYIKoZIzj0EAwIDSAAwRQIgAcEOAtRCnQz0zWgeEqJux/EO",
    "zHrpA+ysSaEw64dfnW8CIQDpP5rV4QeX9L4dLYP9m0Cp6p86r9xo6ulnP32xobFv",
    "JA=="
  ])
  const refusalOf = (node: string, signerName: string, request = signed, verb: "create" | "update" = "create") => {
    const attributes: AdmissionAttributes = {
      ...attributesOf({ object: csr({ request, signerName }), oldObject: undefined, subresource: undefined, verb }),
      userInfo: { user: `system:node:${node}`, groups: ["system:nodes"] }
    }
    const result = nodeRestriction.mutate?.(attributes, context)
    return result !== undefined && Result.isFailure(result) ? result.failure.message : undefined
  }
  const prefix = 'certificatesigningrequests.certificates.k8s.io "a" is forbidden: '

  it("for a kubelet's certificate is for its own node", () => {
    for (const signer of ["kubernetes.io/kubelet-serving", "kubernetes.io/kube-apiserver-client-kubelet"]) {
      assert.isUndefined(refusalOf("n1", signer))
      assert.strictEqual(refusalOf("n2", signer), `${prefix}can only create a node CSR with CN=system:node:n2`)
      assert.isUndefined(refusalOf("n2", signer, signed, "update"))
    }
    assert.isUndefined(refusalOf("n2", "kubernetes.io/kube-apiserver-client"))
    const broken = refusalOf("n1", "kubernetes.io/kubelet-serving", "eA==")
    assert.strictEqual(broken, `${prefix}unable to parse csr: PEM block type must be CERTIFICATE REQUEST`)
  })
})
