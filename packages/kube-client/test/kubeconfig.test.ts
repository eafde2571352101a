import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ClientConfigOptions, clientConfig, type LoadOptions, loadKubeconfig } from "../src/index.ts"
import { inClusterConfig } from "../src/kubeconfig/inCluster.ts"
import { pki, withFolder } from "./pki.ts"

const kubeconfigWithUser = (user: object, cluster: object = {}) => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "dev",
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:6443", ...cluster } }],
  users: [{ name: "u", user }],
  contexts: [{ name: "dev", context: { cluster: "c", user: "u" } }]
})

const base64 = (text: string) => Buffer.from(text).toString("base64")

const load = (options: LoadOptions, how?: ClientConfigOptions) =>
  Effect.runSync(Effect.flatMap(loadKubeconfig(options), (loaded) => clientConfig(loaded, how)))

const refusal = (options: LoadOptions, how?: ClientConfigOptions): string =>
  Effect.runSync(Effect.flip(Effect.flatMap(loadKubeconfig(options), (loaded) => clientConfig(loaded, how)))).message

/** Writes the configuration to a file and loads it. */
const loadOne = (config: object, how?: ClientConfigOptions) =>
  withFolder((folder) => {
    const file = join(folder, "config")
    writeFileSync(file, JSON.stringify(config))
    return load({ file }, how)
  })

const refusalOf = (text: string | object, how?: ClientConfigOptions): string =>
  withFolder((folder) => {
    const file = join(folder, "config")
    writeFileSync(file, typeof text === "string" ? text : JSON.stringify(text))
    return refusal({ file }, how).replaceAll(file, "FILE")
  })

describe("loadKubeconfig", () => {
  it("merges files: the first entry of a name is used, and relative paths are relative to their file", () =>
    withFolder((folder) => {
      const [one, two] = [join(folder, "one.yaml"), join(folder, "sub", "two.yaml")]
      mkdirSync(join(folder, "sub"))
      writeFileSync(join(folder, "sub", "ca.crt"), pki().ca.cert)
      writeFileSync(one, "users: [{ name: u, user: { token: first } }]\ncontexts: null\n")
      const second = kubeconfigWithUser({ token: "second", tokenFile: "token" }, { "certificate-authority": "ca.crt" })
      writeFileSync(
        two,
        JSON.stringify({
          ...second,
          contexts: [{ name: "dev", context: { cluster: "c", user: "u", namespace: "team" } }]
        })
      )
      const config = load({ kubeconfig: `${one}:${join(folder, "missing")}:${two}`, defaultFile: "/nonexistent" })
      assert.deepStrictEqual(config, {
        server: "https://127.0.0.1:6443",
        tls: { ca: pki().ca.cert },
        auth: { type: "token", token: "first" },
        namespace: "team"
      })
    }))

  it("takes --kubeconfig before KUBECONFIG before the default, and needs only the first to exist", () =>
    withFolder((folder) => {
      const file = (name: string, token: string) => {
        writeFileSync(join(folder, name), JSON.stringify(kubeconfigWithUser({ token })))
        return join(folder, name)
      }
      const [a, b, c] = [file("a", "a"), file("b", "b"), file("c", "c")]
      const token = (options: LoadOptions) => (load(options).auth as { readonly token?: string }).token
      assert.strictEqual(token({ file: a, kubeconfig: b, defaultFile: c }), "a")
      assert.strictEqual(token({ file: "", kubeconfig: b, defaultFile: c }), "b")
      assert.strictEqual(token({ kubeconfig: "", defaultFile: c }), "c")
      assert.match(refusal({ file: join(folder, "none") }), /none: no such file$/)
      assert.match(refusal({ defaultFile: join(folder, "none") }), /current-context: is not set; there are no contexts/)
    }))

  it("reads all kinds of users", () => {
    const { cert, key } = pki().client
    const auth = (user: object) => loadOne(kubeconfigWithUser(user)).auth
    assert.deepStrictEqual(auth({}), { type: "none" })
    assert.deepStrictEqual(auth({ username: "a", password: "b" }), { type: "basic", username: "a", password: "b" })
    const exec = { apiVersion: "client.authentication.k8s.io/v1" as const, command: "aws", args: ["x"], env: null }
    assert.deepStrictEqual(auth({ exec }), { type: "exec", exec, cluster: { server: "https://127.0.0.1:6443" } })
    assert.deepStrictEqual(
      loadOne(kubeconfigWithUser({ "client-certificate-data": base64(cert), "client-key-data": base64(key) })).tls,
      {
        cert,
        key
      }
    )
    const as = { as: "jane", "as-groups": ["devs"], "as-uid": "7", "as-user-extra": { scopes: ["a", "b"] } }
    assert.deepStrictEqual(loadOne(kubeconfigWithUser(as)).impersonate, {
      user: "jane",
      groups: ["devs"],
      uid: "7",
      extra: { scopes: ["a", "b"] }
    })
    assert.deepStrictEqual(
      loadOne(kubeconfigWithUser({}, { "insecure-skip-tls-verify": true, "tls-server-name": "api" })).tls,
      {
        insecure: true,
        serverName: "api"
      }
    )
  })

  it("chooses the proxy: the cluster's own, else the environment's", () => {
    const environment = { httpsProxy: "http://proxy:3128", noProxy: "10.0.0.0/8, .internal,example.com:8443" }
    const proxy = (server: string, cluster: object = {}) =>
      loadOne(kubeconfigWithUser({}, { server, ...cluster }), environment).proxyUrl
    assert.strictEqual(proxy("https://api.test"), "http://proxy:3128")
    assert.strictEqual(proxy("https://api.test", { "proxy-url": "http://own:1" }), "http://own:1")
    assert.isUndefined(proxy("https://10.1.2.3:6443"))
    assert.strictEqual(proxy("https://11.1.2.3:6443"), "http://proxy:3128")
    assert.isUndefined(proxy("https://a.b.internal"))
    assert.strictEqual(proxy("https://internal"), "http://proxy:3128")
    assert.isUndefined(proxy("https://example.com:8443"))
    assert.strictEqual(proxy("https://example.com"), "http://proxy:3128")
    assert.isUndefined(proxy("https://127.0.0.1:6443"))
    assert.isUndefined(proxy("http://api.test"))
  })

  it("reports each problem with its place, the expected value and a suggestion", () => {
    const cases: ReadonlyArray<readonly [string | object, string]> = [
      ["a: [", "FILE:1: not YAML: "],
      ["[]", "FILE: found [], expected object"],
      [{ ...kubeconfigWithUser({}), kind: "Pod" }, 'FILE: kind: found "Pod", expected "Config"'],
      [
        { ...kubeconfigWithUser({}), "current-context": "deb" },
        'FILE: current-context: no context is called "deb"; did you mean "dev"?'
      ],
      [
        { ...kubeconfigWithUser({}), clusters: [] },
        'FILE: contexts[0].context.cluster: no cluster is called "c"; there are none'
      ],
      [
        { ...kubeconfigWithUser({}), users: [{ name: "zzzzz", user: {} }] },
        'FILE: contexts[0].context.user: no user is called "u"; known here: zzzzz'
      ],
      [kubeconfigWithUser({ token: 5 }), "FILE: users[0].user.token: found 5, expected string"],
      [
        kubeconfigWithUser({ token: "t" }, { server: "127.0.0.1:6443" }),
        'FILE: clusters[0].cluster.server: found "127.0.0.1:6443", expected a URL with https:// or http://'
      ],
      [kubeconfigWithUser({}, { server: "" }), "FILE: clusters[0].cluster.server: is required"],
      [
        kubeconfigWithUser({}, { "certificate-authority": "/nope.crt" }),
        "FILE: clusters[0].cluster.certificate-authority: /nope.crt no such file"
      ],
      [
        kubeconfigWithUser({}, { "certificate-authority-data": "!!" }),
        "FILE: clusters[0].cluster.certificate-authority-data: found no PEM block"
      ],
      [
        kubeconfigWithUser(
          {},
          { "insecure-skip-tls-verify": true, "certificate-authority-data": base64(pki().ca.cert) }
        ),
        "FILE: clusters[0].cluster.insecure-skip-tls-verify: cannot be true while"
      ],
      [
        kubeconfigWithUser({ "client-certificate-data": base64(pki().client.cert) }),
        "FILE: users[0].user.client-key: is required"
      ],
      [kubeconfigWithUser({ "as-groups": ["x"] }), "FILE: users[0].user.as: is required with as-groups"],
      [
        kubeconfigWithUser({ "auth-provider": { name: "gcp" } }),
        "FILE: users[0].user.auth-provider: auth providers have been removed"
      ],
      [
        kubeconfigWithUser({}, { "proxy-url": "socks5://x:1" }),
        'FILE: clusters[0].cluster.proxy-url: found "socks5://x:1", expected a URL with http:// or https://'
      ],
      [
        kubeconfigWithUser({ exec: { apiVersion: "client.authentication.k8s.io/v1alpha1", command: "x" } }),
        'FILE: users[0].user.exec.apiVersion: found "client.authentication.k8s.io/v1alpha1", expected "client.authentication.k8s.io/v1"'
      ]
    ]
    for (const [text, expected] of cases) assert.include(refusalOf(text), expected)
    assert.notInclude(refusalOf(kubeconfigWithUser({ token: "t" }, { server: 5 })), '"t"')
    assert.include(
      refusalOf(kubeconfigWithUser({}), { context: "prod" }),
      'FILE: no context is called "prod"; known here: dev'
    )
  })

  it("warns of unknown fields", () =>
    withFolder((folder) => {
      const file = join(folder, "config")
      writeFileSync(file, JSON.stringify({ ...kubeconfigWithUser({ tokn: "x" }), extra: 1 }))
      const { warnings } = Effect.runSync(loadKubeconfig({ file }))
      assert.deepStrictEqual(warnings.map(({ message, path }) => `${path}: ${message}`).toSorted(), [
        "extra: unknown field; known here: apiVersion, kind, preferences, clusters, contexts, users, current-context, extensions",
        'users[0].user.tokn: unknown field; did you mean "token"?'
      ])
    }))

  it("finds the pod's own service account", () =>
    withFolder((folder) => {
      const options = { host: "10.0.0.1", port: "443", folder }
      assert.match(Effect.runSync(Effect.flip(inClusterConfig(options))).message, /token: no such file/)
      writeFileSync(join(folder, "token"), "secret\n")
      writeFileSync(join(folder, "ca.crt"), pki().ca.cert)
      writeFileSync(join(folder, "namespace"), "team")
      assert.deepStrictEqual(Effect.runSync(inClusterConfig(options)), {
        server: "https://10.0.0.1:443",
        tls: { ca: pki().ca.cert },
        auth: { type: "tokenFile", file: join(folder, "token"), token: "secret" },
        namespace: "team"
      })
      assert.match(Effect.runSync(Effect.flip(inClusterConfig({ host: "", port: "" }))).message, /no pod of a cluster/)
    }))
})
