import { defaultRelease, releases } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { dottedSysctl, sysctlPatternProblem } from "../../src/admission/Sysctl.ts"
import { kubeletConfig } from "../../src/index.ts"
import { safeSysctls, sysctlAllowList, sysctlRefusal } from "../../src/rules.ts"
import { makeAdmission, podOf } from "./gate.ts"

const podWithSysctl = (name: string, more = {}) =>
  podOf("p", {}, { spec: { securityContext: { sysctls: [{ name, value: "1" }] }, ...more } })

describe("sysctls", () => {
  it("are safe from the kernel on that has them", () => {
    const of = (kernel: string) => safeSysctls(defaultRelease.safeSysctls, kernel)
    assert.include(of("4.5.0"), "net.ipv4.tcp_keepalive_time")
    assert.notInclude(of("4.5.0"), "net.ipv4.tcp_fin_timeout")
    assert.include(of("4.15"), "net.ipv4.tcp_rmem")
    assert.lengthOf(of("10.0.1-generic"), 12)
    assert.notInclude(of("unheard of"), "net.ipv4.tcp_rmem")
    assert.include(of("unheard of"), "net.ipv4.tcp_syncookies")
  })

  it("are safe in the number that the release knows", () => {
    const old = makeAdmission({ release: releases["1.26"], config: kubeletConfig({}, releases["1.26"]) })
    assert.strictEqual(old.offer(podWithSysctl("net.ipv4.tcp_syncookies")).decision(), "admitted")
    assert.notStrictEqual(old.offer(podWithSysctl("net.ipv4.tcp_rmem")).decision(), "admitted")
    assert.strictEqual(makeAdmission().offer(podWithSysctl("net.ipv4.tcp_rmem")).decision(), "admitted")
  })

  it("are not set where the pod shares the machine's namespace", () => {
    const allowed = sysctlAllowList(["kernel.msg*", "net.core.somaxconn"])
    assert.isUndefined(sysctlRefusal(podWithSysctl("kernel.msgmax", { hostNetwork: true }), allowed))
    assert.strictEqual(
      sysctlRefusal(podWithSysctl("kernel.msgmax", { hostIPC: true }), allowed)?.message,
      'forbidden sysctl: "kernel.msgmax" not allowed with host IPC enabled'
    )
    assert.strictEqual(
      sysctlRefusal(podWithSysctl("net.core.somaxconn", { hostNetwork: true }), allowed)?.message,
      'forbidden sysctl: "net.core.somaxconn" not allowed with host Net enabled'
    )
  })

  it("are named with dots", () => {
    assert.strictEqual(dottedSysctl("net/ipv4/conf/eno2.100/rp_filter"), "net.ipv4.conf.eno2/100.rp_filter")
    assert.strictEqual(dottedSysctl("net.ipv4.conf.eno2/100.rp_filter"), "net.ipv4.conf.eno2/100.rp_filter")
    assert.isUndefined(sysctlRefusal(podWithSysctl("net/core/somaxconn"), sysctlAllowList(["net.core.*"])))
  })

  it("may be allowed by patterns of what is namespaced", () => {
    assert.isUndefined(sysctlPatternProblem("net.*"))
    assert.isUndefined(sysctlPatternProblem("kernel.shm_rmid_forced"))
    assert.strictEqual(sysctlPatternProblem("vm.*"), 'the sysctls "vm.*" are not known to be namespaced')
    assert.strictEqual(
      sysctlPatternProblem("vm.swappiness"),
      'the sysctl "vm.swappiness" are not known to be namespaced'
    )
    assert.match(sysctlPatternProblem("net.*.x") ?? "", /must have at most 253 characters and match regex/)
  })
})
