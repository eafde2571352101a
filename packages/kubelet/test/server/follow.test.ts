import type { Container, KindName, KubeObject, Pod, PodSpec } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type KubeletOptions, type KubeletStream, makeModelledPodRuntime } from "../../src/index.ts"
import { setUpKubelet } from "../setUpKubelet.ts"

const AGNHOST = "registry.k8s.io/e2e-test-images/agnhost:2.53"

const setUp = (options: Partial<Omit<KubeletOptions, "runtime">> = {}) => {
  const made = setUpKubelet({ runtime: (timers) => makeModelledPodRuntime(timers, { startMs: 1_000 }), ...options })
  made.kubelet.startKubelet()
  made.untilMs(1_000)
  /** Returns what a stream has written until now. */
  const textOf = (path: string, query: Readonly<Record<string, ReadonlyArray<string>>>): string => {
    const { body } = made.kubelet.serve({ method: "GET", path, query: new Map(Object.entries(query)) })
    if (typeof body === "string") return body
    if (!("open" in body)) throw new Error("ports")
    let text = ""
    const stream: KubeletStream = body
    stream.open({ write: (_, piece) => (text += piece), isFull: () => false, end: () => {} })
    made.time.runUntil(made.time.timers.now() + 50)
    return text
  }
  return {
    ...made,
    create: (kind: KindName, name: string, fields: object): void => {
      const apiVersion = "v1"
      const object = { apiVersion, kind, metadata: { name }, ...fields } satisfies KubeObject & object
      made.api.ask({ verb: "create", kind, namespace: "default", object })
    },
    run: (container: Partial<Container>, spec: Partial<PodSpec> = {}) => {
      const containers = [{ name: "c", image: AGNHOST, ...container }]
      made.api.createPod("p", "n1", { containers, restartPolicy: "Never", ...spec })
      made.untilMs(4_000)
    },
    log: (container = "c") => textOf(`/containerLogs/default/p/${container}`, {}),
    exec: (command: ReadonlyArray<string>, container = "c") =>
      textOf(`/exec/default/p/${container}`, { command, stdout: ["true"] }),
    ended: () => {
      const { containerStatuses = [], phase } = made.api.pod("p")?.status ?? {}
      return [phase, ...containerStatuses.map(({ state }) => state?.terminated?.exitCode)]
    }
  }
}

const mounts = [{ name: "v", mountPath: "/v" }]

describe("a container whose end depends on its files", () => {
  it("ends as they say", () => {
    const there = setUp()
    there.create("ConfigMap", "cm", { data: { a: "text" } })
    there.run(
      { image: "busybox", command: ["cat", "/v/a"], volumeMounts: mounts },
      { volumes: [{ name: "v", configMap: { name: "cm" } }] }
    )
    assert.deepStrictEqual([there.log(), there.ended()], ["text", ["Succeeded", 0]])
    const missing = setUp()
    missing.run({ command: ["cat", "/v/a"] })
    assert.deepStrictEqual(missing.ended(), ["Failed", 1])
  })

  it("waits for what another command writes", () => {
    const { ended, exec, run, untilMs } = setUp()
    run({ command: ["sh", "-c", "until [ -f /tmp/go ]; do sleep 1; done; exit 3"] })
    untilMs(60_000)
    assert.deepStrictEqual(ended(), ["Running", undefined])
    exec(["sh", "-c", "echo > /tmp/go"])
    untilMs(62_000)
    assert.deepStrictEqual(ended(), ["Failed", 3])
  })

  it("knows the variables that only the node knows", () => {
    const named = setUp()
    named.run({ command: ["sh", "-c", "test $(id -u) -eq 7"], securityContext: { runAsUser: 7 } })
    assert.deepStrictEqual(named.ended(), ["Succeeded", 0])
    const { create, ended, run } = setUp()
    create("Secret", "s", { stringData: { code: "5" } })
    const env = [{ name: "CODE", valueFrom: { secretKeyRef: { name: "s", key: "code" } } }]
    run({ command: ["sh", "-c", "exit $(CODE)"], env })
    assert.deepStrictEqual(ended(), ["Failed", 5])
  })

  it("is followed no longer than it runs, and not at all if its command needs no files", () => {
    const { api, attempts, run, untilMs } = setUp()
    const loop = ["sh", "-c", "while true; do date; sleep 1; done"]
    const before = attempts.length
    run({ command: loop })
    assert.strictEqual(attempts.slice(before).filter(({ request }) => request.kind === "Service").length, 0)
    api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" })
    untilMs(60_000)
    run({ command: ["sh", "-c", "while true; do test -f /x; sleep 1; done"] })
    untilMs(70_000)
    api.ask({ verb: "delete", kind: "Pod", namespace: "default", name: "p" })
    untilMs(110_000)
    assert.strictEqual(api.pod("p"), undefined)
  })
})

describe("the files of a modelled container", () => {
  it("has what its own command has written, and shares empty volumes with the containers of its pod", () => {
    const { exec, run } = setUp()
    const writer = { name: "w", image: "busybox", command: ["sh", "-c", "echo hi > /v/x; sleep 999"] }
    const reader = { name: "c", image: "busybox", command: ["sleep", "999"] }
    const containers = [
      { ...writer, volumeMounts: mounts },
      { ...reader, volumeMounts: [{ name: "v", mountPath: "/other" }] }
    ]
    run({}, { containers, volumes: [{ name: "v", emptyDir: {} }] })
    assert.deepStrictEqual([exec(["cat", "/v/x"], "w"), exec(["cat", "/other/x"])], ["hi\n", "hi\n"])
    assert.strictEqual(exec(["ls", "/other"]), "x\n")
  })

  it("have the machine's modes in its folders, whatever the pod's group is", () => {
    const folder = (path: string) => ({ name: path.slice(1), hostPath: { path } })
    const { exec, run } = setUp()
    const volumeMounts = ["tmp", "srv"].map((name) => ({ name, mountPath: `/host/${name}` }))
    const volumes = [folder("/tmp"), folder("/srv")]
    run({ image: "busybox", command: ["sleep", "9"], volumeMounts }, { volumes, securityContext: { fsGroup: 5 } })
    const [tmp, srv] = exec(["ls", "-ld", "/host/tmp", "/host/srv"]).split("\n")
    assert.match(tmp ?? "", /^drwxrwxrwt .* root {5}root/)
    assert.match(srv ?? "", /^drwxr-xr-x .* root {5}root/)
  })

  it("give an ephemeral container its variables", () => {
    const { api, exec, run, untilMs } = setUp()
    const image = "busybox"
    const init = { name: "i", image, command: ["sh", "-c", "echo \"A='1'\" > /v/e"], volumeMounts: mounts }
    const volumes = [{ name: "v", emptyDir: {} }]
    run({ image, command: ["sleep", "999"] }, { initContainers: [init], volumes })
    const pod = api.pod("p")
    const env = [{ name: "A", valueFrom: { fileKeyRef: { volumeName: "v", path: "e", key: "A", optional: false } } }]
    const ephemeralContainers = [{ name: "d", image, command: ["sleep", "99"], env }]
    api.update("Pod", { ...pod, spec: { ...pod?.spec, ephemeralContainers } } as Pod, "ephemeralcontainers")
    untilMs(8_000)
    assert.strictEqual(exec(["sh", "-c", "echo $A"], "d"), "1\n")
  })

  it("are in the log of a command as they were when it began", () => {
    const { exec, log, run } = setUp()
    const image = "busybox"
    const init = { name: "i", image, command: ["sh", "-c", "echo one > /v/x"], volumeMounts: mounts }
    const command = ["sh", "-c", "cat /v/x; echo two >> /v/x; cat /v/x; sleep 999"]
    run({ image, command, volumeMounts: mounts }, { initContainers: [init], volumes: [{ name: "v", emptyDir: {} }] })
    exec(["rm", "/v/x"])
    assert.deepStrictEqual([log(), log()], ["one\none\ntwo\n", "one\none\ntwo\n"])
  })

  it("are those of the volume of a claim, which outlives pods and nodes", () => {
    const volume: ReturnType<NonNullable<KubeletOptions["filesOfClaim"]>> = new Map()
    const filesOfClaim = (claim: string) => (claim === "default/data" ? volume : undefined)
    const mounted = { image: "busybox", command: ["sleep", "999"], volumeMounts: [{ name: "v", mountPath: "/v/" }] }
    const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }]
    const start = () => {
      const made = setUp({ filesOfClaim, heldBy: () => false })
      made.run(mounted, { volumes })
      return made
    }
    start().exec(["sh", "-c", "hostname | dd of=/v/name && ln -s /v/name /v/link"])
    const other = start()
    assert.strictEqual(other.exec(["sh", "-c", "cat /v/link; find /v"]), "p\n/v\n/v/link\n/v/name\n")
  })

  it("are shown by stat and find as their volumes own them", () => {
    const { create, log, run } = setUp()
    create("Secret", "s", { stringData: { a: "12", b: "" } })
    const command = [
      "sh",
      "-c",
      "stat -c='%g' $(find /v/ -type f); stat -c '%n %a %F %s %u%%' /v/a /v/b /none; stat -c %x /v"
    ]
    const volumes = [{ name: "v", secret: { secretName: "s", defaultMode: 0o400 } }]
    run({ image: "busybox", command, volumeMounts: mounts }, { volumes, securityContext: { fsGroup: 12 } })
    const [first, second, ...lines] = log().split("\n")
    assert.deepStrictEqual([first, second], ["=12", "=12"])
    assert.deepStrictEqual(lines.slice(0, 3), [
      "/v/a 440 regular file 2 0%",
      "/v/b 440 regular empty file 0 0%",
      "stat: can't stat '/none': No such file or directory"
    ])
    assert.match(lines[3] ?? "", /^rollcall: /)
  })

  it("have modes, owners and file systems", () => {
    const { create, log, run } = setUp()
    create("Secret", "s", { stringData: { a: "1", b: "2" } })
    const secret = {
      secretName: "s",
      defaultMode: 0o400,
      items: [
        { key: "a", path: "d/a" },
        { key: "b", path: "b", mode: 0o440 }
      ]
    }
    const flags = [
      "--fs_type=/v",
      "--file_mode=/v/d/a",
      "--file_perm=/v/b",
      "--file_owner=/v/b",
      "--file_content=/v/d/a"
    ]
    run(
      { args: ["mounttest", ...flags], volumeMounts: mounts },
      { volumes: [{ name: "v", secret }], securityContext: { fsGroup: 12, runAsUser: 7 } }
    )
    assert.deepStrictEqual(log().split("\n"), [
      'mount type of "/v": tmpfs',
      'mode of file "/v/d/a": -r--r-----',
      'perms of file "/v/b": -r--r-----',
      'owner UID of "/v/b": 0',
      'owner GID of "/v/b": 12',
      'content of file "/v/d/a": 1',
      ""
    ])
  })

  it("are written as their user and with the group of their folder", () => {
    const { ended, log, run } = setUp()
    const flags = ["--new_file_0660=/v/f", "--file_perm", "/v/f", "--file_owner=/v/f", "--file_content=/v/none"]
    run(
      { args: ["mounttest", ...flags], volumeMounts: mounts },
      { volumes: [{ name: "v", emptyDir: {} }], securityContext: { fsGroup: 12, runAsUser: 7 } }
    )
    assert.deepStrictEqual(log().split("\n"), [
      'content of file "/v/f": mount-tester new file',
      "",
      'perms of file "/v/f": -rw-rw----',
      'owner UID of "/v/f": 7',
      'owner GID of "/v/f": 12',
      'error reading file content for "/v/none": open /v/none: no such file or directory',
      ""
    ])
    assert.deepStrictEqual(ended(), ["Failed", 1])
  })

  it("are those of a path in a volume", () => {
    const { create, exec, run } = setUp()
    create("ConfigMap", "cm", { data: { a: "one", b: "two" } })
    const items = [
      { key: "a", path: "x/a" },
      { key: "b", path: "y/b" }
    ]
    const volumeMounts = [
      { name: "v", mountPath: "/dir", subPath: "x" },
      { name: "v", mountPath: "/file", subPath: "y/b" },
      { name: "v", mountPath: "/by-name", subPathExpr: "$(WHICH)" }
    ]
    const env = [{ name: "WHICH", value: "y" }]
    run(
      { image: "busybox", command: ["sleep", "99"], volumeMounts, env },
      { volumes: [{ name: "v", configMap: { name: "cm", items } }] }
    )
    assert.strictEqual(exec(["cat", "/dir/a", "/file", "/by-name/b"]), "onetwotwo")
  })

  it("have the folders of paths in a volume, where the whole volume is mounted too", () => {
    const { exec, run } = setUp()
    const volumeMounts = [
      { name: "v", mountPath: "/sub", subPathExpr: "a/$(B)" },
      { name: "v", mountPath: "/all" }
    ]
    run(
      { command: ["sleep", "99"], volumeMounts, env: [{ name: "B", value: "b" }] },
      { volumes: [{ name: "v", emptyDir: {} }] }
    )
    assert.strictEqual(exec(["sh", "-c", "test -d /all/a/b && touch /all/a/b/x && ls /sub"]), "x\n")
  })

  it("outlive their pod in a folder of the machine", () => {
    const { api, ended, exec, run, untilMs } = setUp()
    const volumes = [{ name: "v", hostPath: { path: "/data/" } }]
    const once = ["sh", "-c", "if [[ -r /v/done ]]; then exit 0; else touch /v/done; exit 1; fi"]
    run({ image: "busybox", command: once, volumeMounts: mounts }, { volumes })
    assert.deepStrictEqual(ended(), ["Failed", 1])
    api.deletePod("p")
    untilMs(10_000)
    api.createPod("p", "n1", {
      containers: [{ name: "c", image: "busybox", command: ["sleep", "99"], volumeMounts: mounts }],
      volumes: [{ name: "v", hostPath: { path: "/" } }]
    })
    untilMs(15_000)
    assert.strictEqual(exec(["ls", "/v/data"]), "done\n")
    exec(["rm", "/v/data/done"])
    assert.strictEqual(exec(["ls", "/v/data"]), "ls: /v/data: No such file or directory\n")
  })

  it("cannot be written outside of volumes if the root is read-only", () => {
    const { exec, log, run } = setUp()
    const securityContext = { readOnlyRootFilesystem: true }
    run(
      { command: ["/bin/sh", "-c", "echo test > /file; sleep 240"], securityContext, volumeMounts: mounts },
      { volumes: [{ name: "v", emptyDir: {} }] }
    )
    assert.strictEqual(log(), "/bin/sh: can't create /file: Read-only file system\n")
    assert.strictEqual(exec(["sh", "-c", "echo x > /v/f && cat /v/f"]), "x\n")
  })

  it("names the hosts that the kubelet knows", () => {
    const { exec, run } = setUp()
    run({ command: ["sleep", "99"] }, { hostAliases: [{ ip: "1.2.3.4", hostnames: ["foo", "bar"] }], subdomain: "sub" })
    const hosts = exec(["cat", "/etc/hosts"])
    assert.match(hosts, /^# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6/)
    assert.match(
      hosts,
      /\n10\.\S+\tp.sub.default.svc.cluster.local\tp\n\n# Entries added by HostAliases.\n1.2.3.4\tfoo\tbar\n$/
    )
  })
})

describe("the variables of a modelled container", () => {
  it("have resources in units of the divisor, and the node's where there is no limit", () => {
    const { create, exec, run } = setUp()
    create("Service", "my-db", { spec: { ports: [{ name: "sql", port: 5432 }], clusterIP: "10.96.3.4" } })
    const of = (name: string, resource: string, divisor?: string) => ({
      name,
      valueFrom: { resourceFieldRef: { resource, ...(divisor === undefined ? {} : { divisor }) } }
    })
    const env = [
      of("A", "limits.cpu"),
      of("B", "requests.memory", "1Mi"),
      of("C", "limits.memory"),
      of("D", "limits.cpu", "1m")
    ]
    const resources = { limits: { cpu: "1250m" }, requests: { cpu: "250m", memory: "33000000" } }
    run({ command: ["sleep", "99"], env, resources })
    const lines = exec(["env"]).split("\n")
    assert.includeMembers(lines, ["A=2", "B=32", "D=1250"])
    assert.match(lines.find((line) => line.startsWith("C=")) ?? "", /^C=[1-9]\d+$/)
    assert.includeMembers(lines, [
      "MY_DB_SERVICE_HOST=10.96.3.4",
      "MY_DB_SERVICE_PORT=5432",
      "MY_DB_SERVICE_PORT_SQL=5432",
      "MY_DB_PORT=tcp://10.96.3.4:5432",
      "MY_DB_PORT_5432_TCP=tcp://10.96.3.4:5432",
      "MY_DB_PORT_5432_TCP_PROTO=tcp",
      "MY_DB_PORT_5432_TCP_PORT=5432",
      "MY_DB_PORT_5432_TCP_ADDR=10.96.3.4"
    ])
  })

  it("leave Services out where the pod does not want them", () => {
    const { create, exec, run } = setUp()
    create("Service", "my-db", { spec: { ports: [{ port: 5432 }], clusterIP: "10.96.3.4" } })
    run({ command: ["sleep", "99"] }, { enableServiceLinks: false })
    assert.notInclude(exec(["env"]), "MY_DB")
  })
})

describe("the test image of Kubernetes", () => {
  it("prints the hosts", () => {
    const { ended, log, run } = setUp()
    run({ args: ["etc-hosts"] }, { hostAliases: [{ ip: "1.2.3.4", hostnames: ["foo"] }] })
    assert.include(log(), "1.2.3.4\tfoo\n")
    assert.deepStrictEqual(ended(), ["Succeeded", 0])
  })

  it("runs what its arguments say, and pauses without any", () => {
    const paused = setUp()
    paused.run({})
    assert.deepStrictEqual([paused.log(), paused.ended()], ["Paused\nSignals registered\n", ["Running", undefined]])
    const named = setUp()
    named.run({ command: ["/agnhost-2"], args: ["entrypoint-tester", "a", "--b"] })
    assert.deepStrictEqual([named.log(), named.ended()], ["[/agnhost-2 entrypoint-tester a --b]\n", ["Succeeded", 0]])
  })

  it("writes lines at an even pace", () => {
    const { ended, log, run, untilMs } = setUp()
    run({ args: ["logs-generator", "--log-lines-total", "10", "--run-duration", "20s"] })
    untilMs(60_000)
    const lines = log().split("\n").slice(0, -1)
    assert.deepStrictEqual([lines.length, ended()], [10, ["Succeeded", 0]])
    assert.match(
      lines[0] ?? "",
      /^I0101 00:00:0\d\.000000 {7}1 logs_generator.go:76\] 0 (GET|POST|PUT) \/api\/v1\/namespaces\/\S+\/pods\/\w{3,4} \d{3}$/
    )
    assert.deepStrictEqual(log().split("\n").slice(0, -1), lines)
  })
})

describe("sysctl", () => {
  it("shows what the pod sets", () => {
    const { ended, log, run } = setUp()
    const sysctls = [{ name: "kernel.shm_rmid_forced", value: "1" }]
    run({ command: ["/bin/sysctl", "kernel.shm_rmid_forced"] }, { securityContext: { sysctls } })
    assert.deepStrictEqual([log(), ended()], ["kernel.shm_rmid_forced = 1\n", ["Succeeded", 0]])
  })

  it("takes both separators", () => {
    const { log, run } = setUp()
    const sysctls = [{ name: "kernel/shm_rmid_forced", value: "1" }]
    run({ command: ["sysctl", "kernel/shm_rmid_forced"] }, { securityContext: { sysctls } })
    assert.strictEqual(log(), "kernel.shm_rmid_forced = 1\n")
  })
})

describe("hostname", () => {
  const namesOf = (spec: Partial<PodSpec>) => {
    const { log, run } = setUp()
    run({ command: ["sh", "-c", "echo $(hostname) $(hostname -f) $(hostname -s) $(hostname -d)"] }, spec)
    return log().trim()
  }

  it("knows the domain of the pod, unless the pod has a name of its own", () => {
    const domain = "web.default.svc.cluster.local"
    assert.strictEqual(namesOf({}), "p p p")
    assert.strictEqual(namesOf({ hostname: "h" }), "h h h")
    assert.strictEqual(namesOf({ hostname: "h", subdomain: "web" }), `h h.${domain} h ${domain}`)
    assert.strictEqual(namesOf({ subdomain: "web", setHostnameAsFQDN: true }), `p.${domain} p.${domain} p ${domain}`)
    assert.strictEqual(namesOf({ subdomain: "web", hostnameOverride: "my.host" }), "my.host my.host my host")
  })
})

describe("the status of a process", () => {
  type Context = Readonly<Record<string, unknown>>
  const statusOf = (securityContext: Context, ofPod: Context = {}) => {
    const { log, run } = setUp()
    run({ command: ["grep", "-E", "Uid|Sec|NoNew", "/proc/self/status"], securityContext }, { securityContext: ofPod })
    return log().replaceAll(":\t", " ").split("\n").slice(0, 3).join(" ").replaceAll("\t", ",")
  }

  it("says what the security context of its container does", () => {
    const filtered = { seccompProfile: { type: "RuntimeDefault" } }
    assert.strictEqual(statusOf({}), "Uid 0,0,0,0 NoNewPrivs 0 Seccomp 0")
    assert.strictEqual(
      statusOf({ allowPrivilegeEscalation: false, runAsUser: 7 }, filtered),
      "Uid 7,7,7,7 NoNewPrivs 1 Seccomp 2"
    )
    assert.strictEqual(
      statusOf({ seccompProfile: { type: "Unconfined" } }, filtered),
      "Uid 0,0,0,0 NoNewPrivs 0 Seccomp 0"
    )
    assert.strictEqual(statusOf({ privileged: true }, filtered), "Uid 0,0,0,0 NoNewPrivs 0 Seccomp 0")
  })
})

describe("id", () => {
  it("names the user and the groups of the container", () => {
    const { exec, run } = setUp()
    const securityContext = { runAsUser: 1001, runAsGroup: 2002 }
    run({ command: ["sleep", "99"], securityContext }, { securityContext: { supplementalGroups: [4], fsGroup: 5 } })
    assert.strictEqual(exec(["id"]), "uid=1001 gid=2002 groups=2002,5,4\n")
    assert.strictEqual(exec(["sh", "-c", "echo $(id -u) $(id -g) $(id -G)"]), "1001 2002 2002 5 4\n")
  })
})

describe("the user of an image", () => {
  const idOf = (container: Partial<Container>, securityContext: Readonly<Record<string, unknown>> = {}) => {
    const { api, log, run } = setUp()
    run({ command: ["id"], ...container }, { securityContext })
    const { linux } = (api.pod("p")?.status?.containerStatuses?.[0]?.user ?? {}) as {
      readonly linux?: {
        readonly uid: number
        readonly gid: number
        readonly supplementalGroups: ReadonlyArray<number>
      }
    }
    const shown = log().trim()
    const text = (id: number) => (id === 0 ? "0(root)" : String(id))
    assert.strictEqual(
      `uid=${linux?.uid} gid=${text(linux?.gid ?? -1)} groups=${linux?.supplementalGroups?.map(text).join(",")}`,
      shown
    )
    return shown
  }

  it("is that of the container, with the groups that the image gives it", () => {
    assert.strictEqual(idOf({ image: "nonroot:1.4" }), "uid=1234 gid=0(root) groups=0(root)")
    assert.strictEqual(
      idOf({}, { runAsUser: 1000, supplementalGroups: [60_000] }),
      "uid=1000 gid=1000 groups=1000,50000,60000"
    )
    assert.strictEqual(
      idOf({}, { runAsUser: 1000, supplementalGroups: [60_000], supplementalGroupsPolicy: "Strict" }),
      "uid=1000 gid=1000 groups=1000,60000"
    )
  })

  it("may not be root if the pod says so", () => {
    const problemOf = (container: Partial<Container>, securityContext: Readonly<Record<string, unknown>>) => {
      const { api, run } = setUp()
      run({ command: ["id"], ...container }, { securityContext })
      const { containerStatuses: [status] = [] } = api.pod("p")?.status ?? {}
      return status?.state?.waiting?.message?.replace(/\([0-9a-f-]{36}\)/, "(UID)")
    }
    const of = `(pod: "p_default(UID)", container: c)`
    const nonRoot = { runAsNonRoot: true }
    assert.strictEqual(problemOf({}, nonRoot), `container has runAsNonRoot and image will run as root ${of}`)
    assert.strictEqual(
      problemOf({ image: "nonroot" }, { ...nonRoot, runAsUser: 0 }),
      `container's runAsUser breaks non-root policy ${of}`
    )
    assert.isUndefined(problemOf({ image: "nonroot" }, nonRoot))
    assert.isUndefined(problemOf({ image: "web" }, nonRoot), "its image may have another user")
    assert.isUndefined(problemOf({}, { ...nonRoot, runAsUser: 5 }))
    assert.isUndefined(problemOf({ securityContext: { runAsNonRoot: false } }, nonRoot))
  })
})

describe("the termination message of a modelled container", () => {
  const messageOf = (script: string, container: Partial<Container> = {}): string | undefined => {
    const { api, run } = setUp()
    run({ command: ["sh", "-c", script], ...container })
    return api.pod("p")?.status?.containerStatuses?.[0]?.state?.terminated?.message
  }

  it("is what it has written into the file", () => {
    assert.strictEqual(messageOf("echo -n OK > /dev/termination-log"), "OK")
    assert.strictEqual(messageOf("echo -n NO > /x; exit 2", { terminationMessagePath: "/x" }), "NO")
    assert.strictEqual(messageOf("echo -n NO"), undefined)
    assert.strictEqual(messageOf(`echo ${"x".repeat(5_000)} > /dev/termination-log`)?.length, 4_096)
  })

  it("is the end of its log after an error, if that is asked for", () => {
    const terminationMessagePolicy = "FallbackToLogsOnError"
    assert.strictEqual(messageOf("echo -n DONE; exit 1", { terminationMessagePolicy }), "DONE")
    assert.strictEqual(messageOf("echo -n DONE", { terminationMessagePolicy }), undefined)
    assert.strictEqual(
      messageOf("echo log; echo file > /dev/termination-log; exit 1", { terminationMessagePolicy }),
      "file\n"
    )
    const lines = messageOf("for i in $(seq 200); do echo $i; done; exit 1", { terminationMessagePolicy })?.split("\n")
    assert.deepStrictEqual([lines?.[0], lines?.length], ["121", 81])
  })
})

describe("the cgroup of a modelled container", () => {
  const resources = { limits: { cpu: "500m", memory: "64Mi" }, requests: { cpu: "50m" } }
  const machine = { volumes: [{ name: "v", hostPath: { path: "/sys/fs/cgroup" } }] }

  it("has its requests and limits", () => {
    const { exec, run } = setUp()
    run({ command: ["sleep", "99"], resources })
    const files = ["/sys/fs/cgroup/cpu.weight", "/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/memory.max"]
    assert.strictEqual(exec(["cat", ...files]), "11\n50000 100000\n67108864\n")
    assert.match(exec(["mount", "-t", "cgroup2"]), /^cgroup on \/sys\/fs\/cgroup type cgroup2/)
    assert.strictEqual(exec(["cat", "/proc/1/oom_score_adj"]), "999\n")
    const free = setUp()
    free.run({ command: ["sleep", "99"] })
    assert.strictEqual(free.exec(["cat", ...files]), "1\nmax 100000\nmax\n")
  })

  it("is in that of its pod, which a machine shows", () => {
    const { api, exec, run } = setUp()
    run({ command: ["sleep", "99"], resources, volumeMounts: [{ name: "v", mountPath: "/host" }] }, machine)
    const uid = api.pod("p")?.metadata.uid?.replaceAll("-", "_")
    const [folder = ""] = exec(["find", "/host", "-name", `*${uid}*`, "-o", "-name", "*none*"]).split("\n")
    assert.strictEqual(folder, `/host/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod${uid}.slice`)
    assert.strictEqual(exec(["head", "-n", "1", `${folder}/cpu.max`]), "50000 100000\n")
  })
})

describe("the token of a modelled container", () => {
  it("is not there in a cluster that issues none", () => {
    const { exec, run } = setUp()
    const projected = { sources: [{ serviceAccountToken: { path: "token", expirationSeconds: 3607 } }] }
    run({ command: ["sleep", "99"], volumeMounts: mounts }, { volumes: [{ name: "v", projected }] })
    assert.match(exec(["cat", "/v/token"]), /^rollcall: failed to fetch token: /)
  })
})

describe("programs that work with files", () => {
  it("touch, show and remove them", () => {
    const { exec, run } = setUp()
    run({ command: ["sleep", "99"] })
    assert.strictEqual(exec(["touch", "/tmp/a", "/tmp/b"]), "")
    assert.strictEqual(exec(["find", "/tmp", "-name", "?"]), "/tmp/a\n/tmp/b\n")
    assert.strictEqual(exec(["sh", "-c", "rm /tmp/a && rm -f /tmp/none && ls /tmp"]), "b\n")
    assert.strictEqual(exec(["rm", "/tmp/none"]), "rm: /tmp/none: No such file or directory\n")
    exec(["sh", "-c", "for i in 1 2 3; do echo $i >> /tmp/lines; done"])
    assert.strictEqual(exec(["head", "-n", "2", "/tmp/lines"]), "1\n2\n")
    assert.strictEqual(exec(["sh", "-c", "rm -rf /tmp && ls /tmp"]), "")
    exec(["touch", "/tmp/a", "/tmp/b"])
    assert.strictEqual(exec(["find", "/tmp", "-mindepth", "1"]), "/tmp/a\n/tmp/b\n")
    assert.strictEqual(exec(["find", "/tmp", "-mindepth", "1", "-delete"]), "")
    assert.strictEqual(exec(["find", "/tmp"]), "/tmp\n")
  })

  it("copy and move them, as BusyBox does", () => {
    const { exec, run } = setUp()
    run({ command: ["sleep", "99"] })
    exec(["sh", "-c", "echo one > /tmp/a"])
    assert.strictEqual(exec(["cp", "-v", "/tmp/a", "/tmp/b"]), "'/tmp/a' -> '/tmp/b'\n")
    assert.strictEqual(exec(["sh", "-c", "mv /tmp/a /tmp/c && ls /tmp && cat /tmp/c"]), "b\nc\none\n")
    assert.strictEqual(exec(["mv", "/tmp/a", "/tmp/d"]), "mv: can't rename '/tmp/a': No such file or directory\n")
    assert.strictEqual(exec(["cp", "/tmp/a", "/tmp/d"]), "cp: can't stat '/tmp/a': No such file or directory\n")
    assert.strictEqual(exec(["mv", "/tmp/b", "/tmp/c", "/tmp/d"]), "mv: target '/tmp/d' is not a directory\n")
    assert.strictEqual(
      exec(["sh", "-c", "mv /localhost.crt /localhost.key /tmp; ls /tmp"]),
      "b\nc\nlocalhost.crt\nlocalhost.key\n"
    )
    assert.strictEqual(exec(["ls", "/localhost.crt"]), "ls: /localhost.crt: No such file or directory\n")
  })
})

describe("a shell that traces", () => {
  it("prints each command before it runs", () => {
    const { exec, run } = setUp()
    run({ command: ["sleep", "99"] })
    const script = "A='x y'; echo \"$A\" 1; false || echo $(echo in)"
    const traced = "+ A='x y'\n+ echo 'x y' 1\nx y 1\n+ false\n+ echo in\n+ echo in\nin\n"
    assert.strictEqual(exec(["/bin/sh", "-x", "-c", script]), traced)
    assert.strictEqual(exec(["sh", "-xc", script]), traced)
    assert.match(exec(["sh", "-x", "-c"]), /^rollcall: /)
  })
})

describe("chance in a shell", () => {
  it("is the same for a container and for the readers of its log", () => {
    const { ended, log, run } = setUp()
    run({ command: ["sh", "-c", "for i in 1 2 3; do echo $RANDOM; done; exit $(( $RANDOM / 16384 ))"] })
    const lines = log().split("\n").slice(0, -1)
    assert.strictEqual(new Set(lines).size, 3)
    assert.strictEqual(log(), `${lines.join("\n")}\n`)
    assert.isTrue(
      lines.every((line) => Number(line) >= 0 && Number(line) < 32_768),
      lines.join()
    )
    assert.include([0, 1], ended()[1])
  })
})
