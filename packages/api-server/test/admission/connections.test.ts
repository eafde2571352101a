import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type RunningServer, type ServerOptions, startServer } from "../http/startServer.ts"
import { ISSUER, newKeyPem } from "../security/securedTestServer.ts"

const API = "/apis/admissionregistration.k8s.io/v1"
const DEFAULT = "/api/v1/namespaces/default"

const deny = Effect.fnUntraced(function* (
  { ask }: RunningServer,
  resources: ReadonlyArray<string>,
  validations: ReadonlyArray<object>,
  operation = "CONNECT"
) {
  const resourceRules = [{ apiGroups: [""], apiVersions: ["v1"], operations: [operation], resources }]
  const spec = { matchConstraints: { resourceRules }, validations }
  const policy = yield* ask("POST", `${API}/validatingadmissionpolicies`, { body: { metadata: { name: "p" }, spec } })
  assert.strictEqual(policy.code, 201, policy.body)
  const bound = { metadata: { name: "b" }, spec: { policyName: "p", validationActions: ["Deny"] } }
  const binding = yield* ask("POST", `${API}/validatingadmissionpolicybindings`, { body: bound })
  assert.strictEqual(binding.code, 201, binding.body)
})

const createPod = Effect.fnUntraced(function* ({ ask }: RunningServer) {
  yield* ask("POST", `${DEFAULT}/serviceaccounts`, { body: { metadata: { name: "default" } } })
  const body = { metadata: { name: "p1" }, spec: { containers: [{ name: "a", image: "a" }] } }
  const made = yield* ask("POST", `${DEFAULT}/pods`, { body })
  assert.strictEqual(made.code, 201, made.body)
})

const denied = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: "
const noHost = "400 pod p1 does not have a host assigned"

/** Returns the codes and messages of requests, without what all denials begin with. */
const answersOf = ({ ask }: RunningServer, paths: ReadonlyArray<string>) =>
  Effect.forEach(paths, (path) =>
    Effect.map(ask("GET", path), ({ code, json }) => `${code} ${String(json?.message).replace(denied, "")}`)
  )

const run = <A, E>(test: (server: RunningServer) => Effect.Effect<A, E>, options: ServerOptions = {}) =>
  Effect.flatMap(startServer(options), (server) => Effect.andThen(createPod(server), test(server))).pipe(
    Effect.scoped,
    Effect.provide(layerWallClock())
  )

const EXEC = `${DEFAULT}/pods/p1/exec`
const all = ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "services/proxy", "nodes/proxy"]

describe("the admission of connections", () => {
  it.live("denies a command by its container and its words", () =>
    run((server) =>
      Effect.gen(function* () {
        yield* deny(
          server,
          ["pods/exec"],
          [
            { expression: "!('rm' in object.command)", message: "no rm", reason: "Forbidden" },
            { expression: "!has(object.container) || object.container != 'a'", message: "not in a" }
          ]
        )
        const paths = [
          "exec?command=rm",
          "exec?command=ls",
          "exec?command=ls&container=a",
          "exec?container=a",
          "attach"
        ]
        const answers = yield* answersOf(
          server,
          paths.map((path) => `${DEFAULT}/pods/p1/${path}`)
        )
        const invalid = '422 pods "p1" is forbidden: '
        const noOverload = "expression '!('rm' in object.command)' resulted in error: no such overload"
        assert.deepStrictEqual(answers, [
          '403 pods "p1" is forbidden: no rm',
          noHost,
          `${invalid}not in a`,
          `${invalid}${noOverload}`,
          noHost
        ])
        const { json } = yield* server.ask("GET", `${EXEC}?command=rm`)
        assert.deepStrictEqual(json.details, { name: "p1", kind: "pods", causes: [{ message: `${denied}no rm` }] })
      })
    )
  )

  it.live("denies a token by its audiences, which are those of the server where it names none", () =>
    run(
      (server) =>
        Effect.gen(function* () {
          const shown = "object.kind + ' ' + request.kind.group + ' ' + object.spec.audiences.join(',')"
          const validations = [{ expression: "object.spec.audiences == ['b']", messageExpression: shown }]
          yield* deny(server, ["serviceaccounts/token"], validations, "CREATE")
          const answers = yield* Effect.forEach([["a"], ["b"], []], (audiences) =>
            Effect.map(
              server.ask("POST", `${DEFAULT}/serviceaccounts/default/token`, { body: { spec: { audiences } } }),
              ({ code, json }) => `${code} ${json?.message ?? ""}`
            )
          )
          const refused = `422 serviceaccounts "default" is forbidden: ${denied}TokenRequest authentication.k8s.io`
          assert.deepStrictEqual(answers.slice(0, 2), [`${refused} a`, "201 "])
          assert.strictEqual(answers[2], `${refused} ${ISSUER}`)
        }),
      { issuing: { issuer: ISSUER, privateKeyPem: newKeyPem() } }
    )
  )

  it.live("shows the options, the kind and the address of each connection", () =>
    run((server) =>
      Effect.gen(function* () {
        const shown = [
          "request.operation",
          "request.kind.group + '/' + request.kind.version + '/' + request.kind.kind",
          "request.requestKind.kind",
          "request.resource.resource + '/' + request.subResource",
          "request.name",
          "request.?namespace.orValue('-')",
          "string(request.options == null) + string(oldObject == null) + string(namespaceObject == null)",
          "object.apiVersion + '/' + object.kind",
          "object.?path.orValue('-')",
          "object.?container.orValue('-')",
          "string(object.?stdin.orValue(false)) + string(has(object.stdout)) + string(has(object.tty))",
          "string(object.?ports.orValue([]).size())"
        ]
        const messageExpression = shown.join(" + ' ' + ")
        yield* deny(server, all, [{ expression: "false", messageExpression, reason: "Forbidden" }])
        const paths = [
          `${EXEC}?command=ls&container=a&stdin=true&stdout=0&tty=`,
          `${DEFAULT}/pods/nope/attach`,
          `${DEFAULT}/pods/p1/portforward?ports=80,90&ports=91`,
          `${DEFAULT}/pods/p1:80/proxy/a//b/?path=x`,
          `${DEFAULT}/services/nope/proxy/`,
          "/api/v1/nodes/nope/proxy",
          "/api/v1/nodes/n1/proxy/stats/summary"
        ]
        const answers = yield* answersOf(server, paths)
        assert.deepStrictEqual(
          answers.map((text) => text.replace(/^403 .*? is forbidden: /, "")),
          [
            "CONNECT /v1/PodExecOptions PodExecOptions pods/exec p1 default truetruefalse v1/PodExecOptions - a truefalsetrue 0",
            "CONNECT /v1/PodAttachOptions PodAttachOptions pods/attach nope default truetruefalse v1/PodAttachOptions - - falsefalsefalse 0",
            "CONNECT /v1/PodPortForwardOptions PodPortForwardOptions pods/portforward p1 default truetruefalse v1/PodPortForwardOptions - - falsefalsefalse 3",
            "CONNECT /v1/PodProxyOptions PodProxyOptions pods/proxy p1:80 default truetruefalse v1/PodProxyOptions /a//b/ - falsefalsefalse 0",
            "CONNECT /v1/ServiceProxyOptions ServiceProxyOptions services/proxy nope default truetruefalse v1/ServiceProxyOptions / - falsefalsefalse 0",
            "CONNECT /v1/NodeProxyOptions NodeProxyOptions nodes/proxy nope - truetruetrue v1/NodeProxyOptions - - falsefalsefalse 0",
            "CONNECT /v1/NodeProxyOptions NodeProxyOptions nodes/proxy n1 - truetruetrue v1/NodeProxyOptions /stats/summary - falsefalsefalse 0"
          ]
        )
      })
    )
  )

  it.live("follows what is wrong with the options, and precedes a missing object", () =>
    run((server) =>
      Effect.gen(function* () {
        const accepting = yield* answersOf(server, [`${DEFAULT}/pods/nope/exec`, "/api/v1/nodes/nope/proxy/x"])
        assert.deepStrictEqual(accepting, ['404 pods "nope" not found', '404 nodes "nope" not found'])
        yield* deny(server, all, [{ expression: "false", message: "no", reason: "Forbidden" }])
        const paths = [
          `${DEFAULT}/pods/nope/exec`,
          "/api/v1/namespaces/none/pods/p1/exec",
          `${DEFAULT}/pods/a:b:c:d/proxy`,
          `${DEFAULT}/pods/nope/portforward?ports=80,x`,
          `${DEFAULT}/pods/nope/portforward?ports=99999`,
          `${EXEC}?dryRun=All`,
          `${DEFAULT}/services/nope/proxy?dryRun=`
        ]
        assert.deepStrictEqual(yield* answersOf(server, paths), [
          '403 pods "nope" is forbidden: no',
          '404 namespaces "none" not found',
          '403 pods "a:b:c:d" is forbidden: no',
          '400 cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
          '400 cannot convert to []int32: strconv.ParseUint: parsing "99999": value out of range',
          "400 dryRun is not supported",
          "400 dryRun is not supported"
        ])
        const log = yield* server.ask("GET", `${DEFAULT}/pods/p1/log?dryRun=All`)
        assert.strictEqual(log.code, 204, log.body)
      })
    )
  )

  const execs = { apiGroups: [""], apiVersions: ["v1"], operations: ["CONNECT"], resources: ["pods/exec"] }

  const mutate = Effect.fnUntraced(function* ({ ask }: RunningServer, mutation: object, rule: object = execs) {
    const resourceRules = [rule]
    const spec = { reinvocationPolicy: "Never", matchConstraints: { resourceRules }, mutations: [mutation] }
    const policy = yield* ask("POST", `${API}/mutatingadmissionpolicies`, { body: { metadata: { name: "m" }, spec } })
    assert.strictEqual(policy.code, 201, policy.body)
    const bound = { metadata: { name: "b" }, spec: { policyName: "m" } }
    const binding = yield* ask("POST", `${API}/mutatingadmissionpolicybindings`, { body: bound })
    assert.strictEqual(binding.code, 201, binding.body)
  })

  it.live("leaves the address of a Service to the last round of plugins", () =>
    run((server) =>
      Effect.gen(function* () {
        const expression = "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}]"
        const rule = { ...execs, operations: ["CREATE"], resources: ["services"] }
        yield* mutate(server, { patchType: "JSONPatch", jsonPatch: { expression } }, rule)
        const body = { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } }
        for (const query of ["?dryRun=All", ""]) {
          const answer = yield* server.ask("POST", `${DEFAULT}/services${query}`, { body })
          assert.strictEqual(answer.code, 201, answer.body)
        }
      })
    )
  )

  it.live("lets a patch change the options", () =>
    run((server) =>
      Effect.gen(function* () {
        const expression = "[JSONPatch{op: 'add', path: '/container', value: 'zz'}]"
        yield* mutate(server, { patchType: "JSONPatch", jsonPatch: { expression } })
        const answers = yield* answersOf(server, [`${EXEC}?command=ls`, `${DEFAULT}/pods/p1/attach`])
        assert.deepStrictEqual(answers, ["400 container zz is not valid for pod p1", noHost])
      })
    )
  )

  it.live("refuses a configuration, as options have no published type", () =>
    run((server) =>
      Effect.gen(function* () {
        const applyConfiguration = { expression: "Object{container: 'yy'}" }
        yield* mutate(server, { patchType: "ApplyConfiguration", applyConfiguration })
        const untyped =
          "failed to convert patch object to typed object: no corresponding type for /v1, Kind=PodExecOptions"
        assert.deepStrictEqual(yield* answersOf(server, [EXEC]), [
          `403 policy 'm' with binding 'b' denied request: error applying patch: ${untyped}`
        ])
      })
    )
  )
})
