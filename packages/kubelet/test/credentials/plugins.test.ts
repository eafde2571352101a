import type { KubeObject, Pod } from "@rollcall/api"
import type { ComponentLog, Connection } from "@rollcall/cluster"
import { makeVirtualTime } from "@rollcall/time"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { CredentialPlugins } from "../../src/credentials/CredentialPlugins.ts"
import type { CredentialProvider, ExecPlugin, PluginExit } from "../../src/index.ts"
import { TokenManager } from "../../src/references/TokenManager.ts"

const V1 = "credentialprovider.kubelet.k8s.io/v1"
const provider: CredentialProvider = {
  name: "helper",
  matchImages: ["*.example.com"],
  defaultCacheMs: 60_000,
  apiVersion: V1,
  args: [],
  env: []
}
const token = {
  audience: "registry",
  cacheType: "ServiceAccount",
  requireServiceAccount: true,
  requiredAnnotations: ["example.com/role"],
  optionalAnnotations: ["example.com/region"]
} as const

const pod = (name: string, serviceAccountName = "robot"): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", uid: name },
  spec: { containers: [{ name: "c", image: "registry.example.com/app:1" }], serviceAccountName }
})

const response = (fields: object = {}) => ({
  apiVersion: V1,
  kind: "CredentialProviderResponse",
  cacheKeyType: "Registry",
  auth: { "registry.example.com": { username: "user", password: "secret" } },
  ...fields
})

interface SetUp {
  readonly answer?: (request: string) => object | PluginExit
  readonly given?: Partial<CredentialProvider>
  readonly annotations?: Readonly<Record<string, string>>
}

const setUp = ({ annotations = {}, answer = () => response(), given = {} }: SetUp = {}) => {
  const time = makeVirtualTime(0)
  const { timers } = time
  const requests: Array<Record<string, unknown>> = []
  const logged: Array<string> = []
  const counted: Array<string> = []
  const exec: ExecPlugin = (_, request, done) => {
    requests.push(JSON.parse(request))
    const given = answer(request)
    const exit: PluginExit = Result.isResult(given) ? (given as PluginExit) : Result.succeed(JSON.stringify(given))
    timers.after(500, () => done(exit))
  }
  const connection: Connection = {
    send: (request, reply) => {
      const account = { metadata: { name: "robot", uid: "u1", annotations } }
      const issued = { status: { token: `token of ${request.verb}`, expirationTimestamp: "2030-01-01T00:00:00Z" } }
      reply(Result.succeed((request.verb === "create" ? issued : account) as unknown as KubeObject))
      return () => {}
    },
    watch: () => () => {}
  }
  const log: ComponentLog = (_, message, fields) => void logged.push(`${message}: ${fields?.err}`)
  const tokens = new TokenManager({ connection, now: timers.now, random: () => 0 })
  const plugins = new CredentialPlugins({
    providers: [{ ...provider, ...given }],
    exec,
    connection,
    timers,
    tokens: () => tokens,
    log,
    meter: { pluginRan: (plugin, seconds, hasFailed) => void counted.push(`${plugin} ${seconds} ${hasFailed}`) }
  })
  /** Returns the users that are found, after a second. */
  const ask = (image: string, of: Pod = pod("a")) => {
    let users: ReadonlyArray<string> | undefined
    plugins.provide(image, of, (keyring) => {
      users = keyring
        .lookUp(image)
        .map(({ account, username }) => `${username}${account === undefined ? "" : ` ${account.name}`}`)
    })
    time.runUntil(timers.now() + 1_000)
    return users
  }
  return { ask, counted, logged, plugins, requests, time }
}

const app = "registry.example.com/app"

describe("a credential plugin", () => {
  it("is asked for the images that it serves, with the request of its version", () => {
    const { ask, counted, requests } = setUp()
    assert.deepStrictEqual(ask(app), ["user"])
    assert.deepStrictEqual(ask("other.example/app"), [])
    assert.deepStrictEqual(requests, [{ kind: "CredentialProviderRequest", apiVersion: V1, image: app }])
    assert.deepStrictEqual(counted, ["helper 0.5 false"])
  })

  it("is not asked again for what its answer holds for, as long as it does", () => {
    const asked = (fields: object, seconds = 0) => {
      const { ask, requests, time } = setUp({ answer: () => response(fields) })
      ask(app)
      time.runUntil(time.timers.now() + seconds * 1_000)
      for (const image of [app, "registry.example.com/other", "two.example.com/app"]) ask(image)
      return requests.length
    }
    assert.strictEqual(asked({}), 2)
    assert.strictEqual(asked({}, 60), 3)
    assert.strictEqual(asked({ cacheKeyType: "Image" }), 3)
    assert.strictEqual(asked({ cacheKeyType: "Global" }), 1)
    assert.strictEqual(asked({ cacheKeyType: "Global", cacheDuration: "2s" }, 30), 2)
    assert.strictEqual(asked({ cacheKeyType: "Global", cacheDuration: "0s" }), 4)
  })

  it("is asked once by two pods that ask at a time", () => {
    const { plugins, requests, time } = setUp()
    let answers = 0
    for (const name of ["a", "b"]) plugins.provide(app, pod(name), () => answers++)
    time.runUntil(1_000)
    assert.deepStrictEqual([requests.length, answers], [1, 2])
  })

  it("gives nothing when it fails, which is logged and counted", () => {
    const failing = (answer: object | PluginExit) => {
      const { ask, counted, logged } = setUp({ answer: () => answer })
      return [ask(app), logged[0]?.replace(/^.*registry credential provider: /, ""), counted[0]]
    }
    const crash = Result.fail({ error: "exit status 1", stderr: "no network" })
    assert.deepStrictEqual(failing(crash), [
      [],
      `error execing credential provider plugin helper for image ${app}: exit status 1: no network`,
      "helper 0.5 true"
    ])
    const problemOf = (answer: object | PluginExit) => failing(answer)[1]
    assert.strictEqual(
      problemOf(response({ apiVersion: "credentialprovider.kubelet.k8s.io/v1beta1" })),
      `apiVersion from credential plugin response did not match expected apiVersion:${V1}, actual apiVersion:credentialprovider.kubelet.k8s.io/v1beta1`
    )
    const unreadable = "error decoding credential provider plugin response from stdout"
    assert.strictEqual(problemOf(response({ kind: "Other" })), unreadable)
    assert.strictEqual(problemOf(response({ auth: { a: { user: "u" } } })), unreadable)
    assert.strictEqual(problemOf(response({ more: 1 })), unreadable)
    assert.strictEqual(
      problemOf(response({ cacheKeyType: "" })),
      "Failed to provide credentials for image: credential provider plugin did not return a valid cacheKeyType: "
    )
    assert.match(String(problemOf(Result.succeed("secret"))), /^error reading GVK from response/)
  })
})

describe("a credential plugin that gets tokens", () => {
  const annotations = { "example.com/role": "pull", "example.com/other": "x" }

  it("gets the token of the pod's service account, and answers for that one", () => {
    const { ask, requests } = setUp({ given: { token }, annotations })
    assert.deepStrictEqual(ask(app), ["user robot"])
    assert.deepStrictEqual(ask(app, pod("b")), ["user robot"])
    assert.lengthOf(requests, 1)
    assert.deepInclude(requests[0], {
      serviceAccountToken: "token of create",
      serviceAccountAnnotations: { "example.com/role": "pull" }
    })
  })

  it("is not asked for pods whose account lacks what it needs", () => {
    const { ask, logged, requests } = setUp({ given: { token } })
    assert.deepStrictEqual(ask(app), [])
    assert.deepStrictEqual(setUp({ given: { token }, annotations }).ask(app, pod("a", "")), [])
    assert.deepStrictEqual([requests, logged], [[], []])
    const optional = { ...token, requireServiceAccount: false, requiredAnnotations: [] }
    assert.deepStrictEqual(setUp({ given: { token: optional } }).ask(app, pod("a", "")), ["user"])
  })

  it("may give the token back only if that is how its answers are kept", () => {
    const auth = { "registry.example.com": { username: "user", password: "token of create" } }
    const answer = () => response({ auth })
    const refused = setUp({ given: { token }, annotations, answer })
    assert.deepStrictEqual(refused.ask(app), [])
    assert.match(refused.logged[0] ?? "", /returned the service account token as the password/)
    const taken = setUp({ given: { token: { ...token, cacheType: "Token" } }, annotations, answer })
    assert.deepStrictEqual(taken.ask(app), ["user robot"])
  })
})
