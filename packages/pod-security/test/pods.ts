import * as fc from "fast-check"
import type { PodSpec } from "../src/index.ts"

const some = fc.subarray
const maybe = <A>(value: fc.Arbitrary<A>) => fc.option(value, { nil: undefined, freq: 2 })

const profile = fc.record({ type: fc.constantFrom("RuntimeDefault", "Localhost", "Unconfined") })
const handler = fc.record({ httpGet: fc.record({ host: fc.constantFrom("", "127.0.0.1") }) })

const common = {
  runAsUser: maybe(fc.constantFrom(0, 1000)),
  runAsNonRoot: maybe(fc.boolean()),
  seccompProfile: maybe(profile),
  appArmorProfile: maybe(profile),
  seLinuxOptions: maybe(fc.record({ type: fc.constantFrom("", "container_t", "container_engine_t", "spc_t") })),
  windowsOptions: maybe(fc.record({ hostProcess: fc.boolean() }))
}

const container = fc.record({
  name: fc.constantFrom("a", "b"),
  ports: fc.array(fc.record({ hostPort: fc.constantFrom(0, 80) }), { maxLength: 1 }),
  livenessProbe: maybe(handler),
  securityContext: maybe(
    fc.record({
      ...common,
      privileged: maybe(fc.boolean()),
      allowPrivilegeEscalation: maybe(fc.boolean()),
      procMount: maybe(fc.constantFrom("Default", "Unmasked")),
      capabilities: maybe(
        fc.record({ add: some(["CHOWN", "NET_BIND_SERVICE", "NET_ADMIN"]), drop: some(["ALL", "CHOWN"]) })
      )
    })
  )
})

/** The fields that pods of Windows may not have, by the validation of the API. */
const ofLinux = [
  "seccompProfile",
  "appArmorProfile",
  "seLinuxOptions",
  "capabilities",
  "procMount",
  "privileged",
  "allowPrivilegeEscalation",
  "sysctls"
]

/** Returns the pod without empty fields, and as the API would accept it on Windows. */
const accepted = (spec: { readonly os?: { readonly name: string } | undefined }): PodSpec =>
  JSON.parse(
    JSON.stringify(spec, (key, value) => (spec.os?.name === "windows" && ofLinux.includes(key) ? undefined : value))
  )

/** Pods with any of the fields that checks read. */
export const pods: fc.Arbitrary<PodSpec> = fc
  .record({
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    initContainers: fc.array(container, { maxLength: 1 }),
    volumes: fc.array(
      fc
        .constantFrom("emptyDir", "hostPath", "nfs", "image")
        .map((source) => ({ name: source, [source]: { path: "/" } })),
      { maxLength: 2 }
    ),
    hostNetwork: maybe(fc.boolean()),
    hostUsers: maybe(fc.boolean()),
    os: maybe(fc.record({ name: fc.constantFrom("linux", "windows") })),
    securityContext: maybe(
      fc.record({
        ...common,
        sysctls: some(["kernel.shm_rmid_forced", "net.ipv4.tcp_rmem", "kernel.msgmax"]).map((names) =>
          names.map((name) => ({ name, value: "1" }))
        )
      })
    )
  })
  .map(accepted)
