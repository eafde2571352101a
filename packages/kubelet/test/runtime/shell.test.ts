import { assert, describe, it } from "@effect/vitest"
import { ContainerFiles } from "../../src/runtime/command/ContainerFiles.ts"
import { searchFor } from "../../src/runtime/command/filters/ShellPattern.ts"
import { inWorld } from "../../src/runtime/command/RunContext.ts"
import { runProgram } from "../../src/runtime/command/ShellRun.ts"

const files = (): ContainerFiles => {
  const made = new ContainerFiles(new Map())
  made.add("/etc/hosts", "127.0.0.1\tlocalhost\n10.0.0.7\tweb\n")
  made.add("/data/list", "pear 3\napple 10\nfig 2\napple 7\n")
  made.add("/data/words", "Alpha\nbeta\nGamma delta\n")
  return made
}

interface Outcome {
  readonly output: string
  readonly errors: string
  readonly status: number | undefined
  readonly elapsedMs: number
}

/** Runs a script with an input to its end. */
const outcomeOf = (script: string, input: ReadonlyArray<string> = [], steps = 100_000): Outcome => {
  const world = { hostname: "web", startMs: 0, files: files(), user: 0, group: 0, groups: [], hasTerminal: false }
  const clock = { elapsedMs: 0 }
  const run = runProgram(["sh", "-c", script], new Map([["NAME", "value"]]), inWorld(world, clock, 0))
  const lines = [...input]
  let [output, errors] = ["", ""]
  let given: string | undefined
  for (let step = 0; step < steps; step++) {
    const { done, value } = run.next(given)
    given = undefined
    if (done === true) return { output, errors, status: value, elapsedMs: clock.elapsedMs }
    if (value.kind === "output" && value.stream === 1) output += value.text
    else if (value.kind === "output") errors += value.text
    else if (value.kind === "read") given = lines.shift()
  }
  return { output, errors, status: Number.NaN, elapsedMs: clock.elapsedMs }
}

const of = (script: string, input?: ReadonlyArray<string>): string => {
  const { errors, output, status } = outcomeOf(script, input)
  return status === undefined ? "not modelled" : `${output}${errors}${status === 0 ? "" : `[${status}]`}`
}

describe("braces of the modelled shell", () => {
  it("are text, unless they group commands or some shells make several words of them", () => {
    assert.strictEqual(of("wc -l /data/list | awk {'print $1'}"), "4\n")
    assert.strictEqual(of("echo {} a}b {x} {'a b'}{"), "{} a}b {x} {a b}{\n")
    assert.strictEqual(of("{ echo a; false; } || echo b"), "a\nb\n")
    assert.strictEqual(of("{ echo a }"), "not modelled")
    assert.strictEqual(of("{ }"), "not modelled")
    assert.strictEqual(of("echo {a,b}"), "not modelled")
    assert.strictEqual(of("echo x{1..3}"), "not modelled")
    assert.strictEqual(of("echo {'a','b'}"), "not modelled")
  })

  it("are text in shells that are known to make no words of them", () => {
    const world = { hostname: "", startMs: 0, files: files(), user: 0, group: 0, groups: [], hasTerminal: false }
    const run = (shell: string) => {
      const context = inWorld({ ...world, keepsBraces: true }, { elapsedMs: 0 }, 0)
      const texts = []
      for (const step of runProgram([shell, "-c", "for i in {1..3} x{a,b}; do echo $i; done"], new Map(), context))
        if (step.kind === "output") texts.push(step.text)
      return texts
    }
    assert.deepStrictEqual(run("/bin/sh"), ["{1..3}\n", "x{a,b}\n"])
    assert.deepStrictEqual(run("/bin/bash"), [])
  })

  it("hold the bodies of functions", () => {
    assert.strictEqual(
      of("say() {\n echo $TEXT\n}\nTEXT=a; say; TEXT=b say | cat; say > /tmp/f; cat /tmp/f"),
      "a\na\na\n"
    )
    assert.strictEqual(of("end() { exit 3; }; end; echo no"), "[3]")
    assert.strictEqual(of("say() { echo a; }; say b"), "not modelled")
    assert.strictEqual(of("say() echo a"), "not modelled")
    assert.strictEqual(of("echo ()"), "not modelled")
  })

  it("count the runs of a container in a file", () => {
    const script = "f=/tmp/n; count=$(echo 'hello' >> $f ; wc -l $f | awk {'print $1'}); [ $count -eq 1 ] && exit 3"
    assert.strictEqual(of(script), "[3]")
  })
})

describe("a variable that is required", () => {
  it("ends the shell if it has no value", () => {
    assert.strictEqual(of(`[[ "\${NAME:?}" == "value" ]] && echo OK`), "OK\n")
    assert.strictEqual(of(`echo a; echo "\${NONE:?}"; echo b`), "a\nsh: NONE: parameter not set\n[2]")
  })
})

describe("backquotes of the modelled shell", () => {
  it("stand for the output of commands", () => {
    assert.strictEqual(of("test `cat /data/words | head -n 1` = 'Alpha' && echo \"is `hostname`\""), "is web\n")
    assert.strictEqual(of("echo `echo \\`echo a\\` b` '`'"), "a b `\n")
    assert.strictEqual(of("echo `ls"), "not modelled")
  })
})

describe("files of the modelled shell", () => {
  it("are listed with their kind, mode, size and number", () => {
    const listed = of("echo hello > /tmp/a; ls -lh /tmp; ls -idlh /data")
    assert.match(
      listed,
      /^-rw-r--r-- {4}1 root {5}root {13}6 a\n *\d+ drwxr-xr-x {4}2 root {5}root {10}4\.0K \/data\n$/
    )
    assert.strictEqual(of("ls -d /data /none; ls /data"), "/data\nlist\nwords\nls: /none: No such file or directory\n")
  })

  it("are linked to, also from folders and one link to the next", () => {
    assert.strictEqual(
      of("ln -s /data/words /tmp/l; ln -s l /tmp/m; cat /tmp/m | head -n 1; readlink /tmp/m"),
      "Alpha\nl\n"
    )
    assert.strictEqual(of("ln -s /tmp/to /tmp/l; test -f /tmp/l || echo b > /tmp/l; cat /tmp/to"), "b\n")
    assert.strictEqual(
      of("ln -s /tmp/b /tmp/a; ln -s /tmp/a /tmp/b; cat /tmp/a"),
      "cat: can't open '/tmp/a': No such file or directory\n[1]"
    )
    assert.strictEqual(of("ln -s x /data; readlink /data/x; ln -s y /data/x"), "x\nln: /data/x: File exists\n[1]")
    assert.strictEqual(of("ln -s x /tmp/l; ln -sf y /tmp/l; readlink /tmp/l; rm /tmp/l; readlink /tmp/l"), "y\n[1]")
    assert.strictEqual(of("ln /data/words /tmp/l"), "not modelled")
  })

  it("are copied in blocks", () => {
    assert.strictEqual(
      of("echo $NAME | dd of=/tmp/n conv=fsync; cat /tmp/n"),
      "value\n0+1 records in\n0+1 records out\n"
    )
    assert.strictEqual(of("dd if=/dev/zero of=/tmp/z bs=1k count=2 status=none; wc -c < /tmp/z"), "2048\n")
    assert.strictEqual(of("dd if=/data/list bs=4 count=1 status=none"), "pear")
    assert.strictEqual(of("dd if=/none of=/tmp/x"), "dd: can't open '/none': No such file or directory\n[1]")
    assert.strictEqual(of("dd if=/dev/random of=/tmp/x count=1"), "not modelled")
    assert.strictEqual(of("dd seek=1"), "not modelled")
  })
})

describe("pipes of the modelled shell", () => {
  it("carry what one command writes to the next, whose status counts", () => {
    assert.strictEqual(of("echo one two | wc -w"), "2\n")
    assert.strictEqual(of("printf 'b\\na\\n' | sort | head -n 1"), "a\n")
    assert.strictEqual(of("false | true"), "")
    assert.strictEqual(of("true | false"), "[1]")
    assert.strictEqual(of("echo err >&2 | cat -"), "err\n")
    assert.strictEqual(of("echo err 2>&1 >&2 | cat -"), "err\n")
    assert.strictEqual(of("cat", ["x\n", "y"]), "x\ny")
    assert.strictEqual(of("tr a-z A-Z | sed s/X/z/", ["x\n", "y"]), "z\nY")
    assert.strictEqual(of("echo a | nosuch"), "not modelled")
    assert.strictEqual(of("nosuch | cat"), "not modelled")
    assert.strictEqual(of("echo a |"), "not modelled")
    assert.strictEqual(of("| echo a"), "not modelled")
    assert.strictEqual(of("echo a |\n tr a b"), "b\n")
  })

  it("run their commands in shells of their own, with loops and conditions", () => {
    assert.strictEqual(of("x=1; echo 2 | read x; echo $x"), "1\n")
    assert.strictEqual(of('cat /data/list | while read line; do echo "<$line>"; done | tail -1'), "<apple 7>\n")
    assert.strictEqual(of("for i in 3 1 2; do echo $i; done | sort -n"), "1\n2\n3\n")
    assert.strictEqual(of("if echo yes | grep -q es; then echo found; else echo none; fi"), "found\n")
    assert.strictEqual(of("echo a | grep b || echo none; echo $?"), "none\n0\n")
    assert.strictEqual(of("exit 3 | true; echo on"), "on\n")
    assert.strictEqual(of("n=$(cat /data/list | wc -l); echo $n"), "4\n")
    assert.strictEqual(of("! echo a | grep -q a; echo $?; ! false && echo so"), "1\nso\n")
  })

  it("end a writer that nothing reads any more, and take its time", () => {
    assert.strictEqual(of("while true; do echo tick; sleep 1; done | head -n 3"), "tick\ntick\ntick\n")
    assert.strictEqual(outcomeOf("while true; do echo tick; sleep 1; done | head -n 3").elapsedMs, 3000)
    assert.strictEqual(outcomeOf("sleep 5 | true").elapsedMs, 5000)
    assert.isNaN(outcomeOf("while true; do echo x; done | wc -l", [], 10_000).status, "its steps are counted")
    assert.strictEqual(
      of(`x=${"a".repeat(1000)}; ${"x=$x$x; ".repeat(6)} for i in 1 2; do echo $x; done | wc -c`),
      "not modelled"
    )
  })

  it("read files, with or without a loop around", () => {
    assert.strictEqual(of("wc -l < /data/list"), "4\n")
    assert.strictEqual(of("while read a b; do echo $b; done < /data/list"), "not modelled")
    assert.strictEqual(
      of('while read a; do echo "- $a"; done < /data/words > /tmp/out; cat /tmp/out'),
      "- Alpha\n- beta\n- Gamma delta\n"
    )
    assert.strictEqual(of("read a < /data/words; echo $a"), "Alpha\n")
    assert.strictEqual(of("cat < /nothing"), "sh: can't open /nothing: no such file\n[1]")
    assert.strictEqual(of("cat << EOF"), "not modelled")
  })

  it("have quotes, and defaults of variables", () => {
    assert.strictEqual(of('echo "a \\"b\\" \\$NAME \\\\ \\x $NAME"'), 'a "b" $NAME \\ \\x value\n')
    assert.strictEqual(of('echo $(echo "a) b" | tr a "c")'), "c) b\n")
    const withDefault = (name: string): string => `$\{${name}:-other}`
    assert.strictEqual(of(`echo ${withDefault("NONE")} ${withDefault("NAME")}`), "other value\n")
  })
})

describe("filters of the modelled shell", () => {
  it("count, choose and order lines", () => {
    assert.strictEqual(of("wc -l /data/list"), "4 /data/list\n")
    assert.strictEqual(of("echo héllo | wc"), "        1         1         7\n")
    assert.strictEqual(
      of("head -2 /data/list; tail -n 1 /data/list; tail -n +4 /data/list"),
      "pear 3\napple 10\napple 7\napple 7\n"
    )
    assert.strictEqual(of("echo abcdef | head -c 3"), "abc")
    assert.strictEqual(of("sort /data/list | head -n 1; sort -r /data/words | head -n 1"), "apple 10\nbeta\n")
    assert.strictEqual(of("printf '10\\n9\\n9\\n' | sort -nu; printf '10\\n9\\n' | sort -rn"), "9\n10\n10\n9\n")
    assert.strictEqual(of("printf 'a\\na\\nb\\n' | uniq -c"), "      2 a\n      1 b\n")
    assert.strictEqual(
      of("cut -d' ' -f2 /data/list | head -1; echo a:b:c | cut -d: -f1,3; echo abcd | cut -c2-3"),
      "3\na:c\nbc\n"
    )
    assert.strictEqual(
      of("echo aabbcc | tr -s b; echo abc | tr -d b; echo 'a b' | tr ' ' '\\n'; echo aB | tr '[:lower:]' '[:upper:]'"),
      "aabcc\nac\na\nb\nAB\n"
    )
    assert.strictEqual(
      of("echo x | tee /tmp/a; cat /tmp/a; echo y | tee -a /tmp/a | wc -l; cat /tmp/a"),
      "x\nx\n1\nx\ny\n"
    )
    assert.strictEqual(of("basename /a/b.txt .txt; dirname /a/b.txt; dirname x"), "b\n/a\n.\n")
    assert.strictEqual(of("wc -l /nothing"), "wc: /nothing: No such file or directory\n[1]")
  })

  it("find patterns", () => {
    assert.strictEqual(of("grep apple /data/list"), "apple 10\napple 7\n")
    assert.strictEqual(
      of("grep -c apple /data/list; grep -vn apple /data/list; grep -i ALPHA /data/words"),
      "2\n1:pear 3\n3:fig 2\nAlpha\n"
    )
    assert.strictEqual(of("grep -E '^(fig|pear) [0-9]+$' /data/list"), "pear 3\nfig 2\n")
    assert.strictEqual(of("grep '^[[:upper:]].*a$' /data/words"), "Alpha\nGamma delta\n")
    assert.strictEqual(of("grep -o '[0-9][0-9]*' /data/list | head -2"), "3\n10\n")
    assert.strictEqual(of("echo a.c abc | grep -oF a.c; echo foobar foo | grep -ow foo"), "a.c\nfoo\n")
    assert.strictEqual(of("grep web /etc/hosts /data/words"), "/etc/hosts:10.0.0.7\tweb\n")
    assert.strictEqual(of("grep x /data/list"), "[1]")
    assert.strictEqual(of("grep x /nothing"), "grep: /nothing: No such file or directory\n[2]")
    assert.strictEqual(of("grep -P x /data/list"), "not modelled")
  })

  it("edit lines", () => {
    assert.strictEqual(
      of("echo aXbXc | sed s/X/-/; echo aXbXc | sed 's/X/-/g'; echo aXbXc | sed s/X/-/2"),
      "a-bXc\na-b-c\naXb-c\n"
    )
    assert.strictEqual(
      of("sed -n 2p /data/words; sed 1d /data/words | head -1; sed -n '/^G/p' /data/words; sed 2q /data/words"),
      "beta\nbeta\nGamma delta\nAlpha\nbeta\n"
    )
    assert.strictEqual(
      of("echo key=value | sed -E 's/([a-z]+)=([a-z]+)/\\2:\\1/'; echo a/b | sed 's|/|&&|'"),
      "value:key\na//b\n"
    )
    assert.strictEqual(of("echo x | sed 's/x*/-/g'; echo hello | sed 's/l*$/!/'"), "-\nhello!\n")
    assert.strictEqual(of("sed -n '$p' /data/words"), "not modelled")
  })

  it("print fields", () => {
    assert.strictEqual(of("awk '{print $2}' /data/list | head -1"), "3\n")
    assert.strictEqual(of("awk '/apple/{print NR\": \"$1, $NF}' /data/list"), "2: apple 10\n4: apple 7\n")
    assert.strictEqual(
      of("awk '$2 > 5 {print $1}' /data/list; awk -F: '{print $NF}' /nothing"),
      "apple\napple\nawk: /nothing: No such file or directory\n[1]"
    )
    assert.strictEqual(of("awk 'END{print NR}' /data/list; awk '$1 == \"fig\"' /data/list"), "4\nfig 2\n")
    assert.strictEqual(of("env | grep NAME | awk -F= '{print $2}'"), "value\n")
    assert.strictEqual(of("awk '{s+=$2} END{print s}' /data/list"), "not modelled")
  })
})

describe("patterns of the modelled shell", () => {
  const spanOf = (pattern: string, text: string, isExtended = true): unknown => {
    const search = searchFor(pattern, isExtended, false)
    if (search === undefined) return "not modelled"
    const match = search(text, 0)
    return match === null || match === undefined ? match : [text.slice(match.start, match.end), ...match.groups]
  }

  it("match as POSIX says", () => {
    assert.deepStrictEqual(spanOf("a+b?c{2,3}", "xaabccccc"), ["aabccc"])
    assert.deepStrictEqual(spanOf("(a|b)*(c)", "abac"), ["abac", "a", "c"])
    assert.deepStrictEqual(spanOf("a\\{2\\}\\(b\\|c\\)", "aac", false), ["aac", "c"])
    assert.deepStrictEqual(spanOf("a+", "a+", false), ["a+"])
    assert.deepStrictEqual(spanOf("[^]a]", "]ab"), ["b"])
    assert.deepStrictEqual(spanOf("[a-]", "-"), ["-"])
    assert.deepStrictEqual(spanOf("^$", ""), [""])
    assert.deepStrictEqual(spanOf("\\.\\w", "a.b"), [".b"])
    for (const odd of ["(a", "a)", "[a", "*a", "a**", "\\1", "a{1", "[[:x:]]"])
      assert.strictEqual(spanOf(odd, "a"), "not modelled", odd)
  })

  it("take a bounded number of steps", () => {
    const text = `${"a".repeat(4000)}!`
    for (const pattern of ["(a+)+$", "(a|a)*b", "a*a*a*a*b", "(a*)*b", "((a?){500}){500}b"]) {
      assert.strictEqual(spanOf(pattern, text), undefined, pattern)
    }
    assert.deepStrictEqual(spanOf("!$", text), ["!"])
  })
})
