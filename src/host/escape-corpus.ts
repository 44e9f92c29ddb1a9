/** For tests: ways out of a workspace, by category. What each must come to is said with it; none may touch anything outside. */
import { spawnSync } from "node:child_process"
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { Scene } from "./escape-scene.ts"

/** `outside`: refused as such. `refused`: refused in other words. `inside`: a strange name, but one in the workspace. */
export type Fate = "outside" | "refused" | "inside"

export interface Escape {
  path: string
  fate: Fate
  /** It is a place of the system: only looked at, or a broken guard would break the machine. */
  system?: true
}

type Category = (scene: Scene) => Escape[]

const fated =
  (fate: Fate) =>
  (paths: readonly string[]): Escape[] =>
    paths.map((path) => ({ path, fate }))
const outside = fated("outside")
const refused = fated("refused")
const inside = fated("inside")
const system = (paths: readonly string[], fate: Fate = "outside"): Escape[] => paths.map((path) => ({ path, fate, system: true }))

const dots: Category = () => [
  ...outside([
    ...["..", "../", "../.", "./..", "../out", "../out/", "../out/.", "../out/deep/..", "../out/secret.txt", "../out/new.txt"],
    ...["./../out/secret.txt", "././../out/secret.txt", "src/../../out/secret.txt", "src/./../../out/secret.txt"],
    ...["src//..//..//out//secret.txt", "..//out/secret.txt", "../out/new/deep/file.txt", "src/sub/../../../out/secret.txt"],
    ...["nowhere/../../out/secret.txt", "a.txt/../../out/secret.txt", "../work/../out/secret.txt", "../out/../out/secret.txt"],
    ...["../work-beside/secret.txt", "../work-beside", "../work-new/file.txt", "src/../..", "a.txt/../..", "../OUT/secret.txt"],
    ...[
      "../out/secret.txt/",
      "../out/secret.txt/below",
      "../out/deep/../secret.txt",
      "../out\\secret.txt",
      "../home/.ssh/id_rsa",
    ],
  ]),
  ...system(["../../../../../../../../../../etc/passwd", `${"../".repeat(200)}etc/passwd`, "src/../../../../../../../etc/hosts"]),
]

const absolute: Category = ({ base, workspace }) => [
  ...outside([
    ...[base, `${base}/`, `${base}/out`, `${base}/out/secret.txt`, `${base}//out//secret.txt`, `${base}/./out/secret.txt`],
    ...[`${workspace}/../out/secret.txt`, `${workspace}/./../out/secret.txt`, `${workspace}/src/../../out/secret.txt`],
    ...[`${workspace}-beside/secret.txt`, `${workspace}-new/file.txt`, `${workspace}\\..\\out`, `//${base}/out/secret.txt`],
    ...[`${base}/work/../out/new.txt`, `${base}/out/new/deep.txt`, `/..${base}/out/secret.txt`],
  ]),
  ...system(["/", "//", "/.", "/..", "/etc/passwd", "//etc/passwd", "///etc/passwd", "/./etc/passwd", "/../etc/passwd"]),
  ...system(["/root", "/home", "/tmp", "/etc/ssl", "/usr/bin/env", "/var/run/docker.sock", "/boot", "/etc/hostname"]),
]

/** Made in the workspace, as `[name, where it points]`. */
function links({ base, workspace }: Scene, made: readonly (readonly [string, string])[]): void {
  mkdirSync(join(workspace, "traps"), { recursive: true })
  for (const [name, target] of made) symlinkSync(target.replace("BASE", base), join(workspace, "traps", name))
}

const linked: Category = (scene) => {
  links(scene, [
    ...([
      ["file", "BASE/out/secret.txt"],
      ["file-near", "../../out/secret.txt"],
      ["folder", "BASE/out"],
    ] as const),
    ...([
      ["folder-near", "../../out"],
      ["above", "../.."],
      ["root", "/"],
      ["slash", "BASE/out/"],
      ["dots", "BASE/work/../out"],
    ] as const),
    ...([
      ["first", "folder"],
      ["second", "first"],
      ["third", "second/secret.txt"],
      ["fourth", "./third"],
    ] as const),
    ...([
      ["here", "."],
      ["top", ".."],
      ["through-here", "here/here/../../../out/secret.txt"],
      ["twice", "above/out/deep"],
    ] as const),
    ...([
      ["sub", "../src/sub"],
      ["via-sub", "sub/../../../out/secret.txt"],
      ["self", "self"],
      ["ping", "pong"],
      ["pong", "ping"],
    ] as const),
    ...([
      ["proc-root", "/proc/self/rootBASE/out/secret.txt"],
      ["proc-folder", "/proc/self/rootBASE/out"],
    ] as const),
    ...([
      ["descriptor", `/proc/self/fd/${scene.fileFd}`],
      ["descriptor-folder", `/dev/fd/${scene.folderFd}`],
    ] as const),
    ["environment", "/proc/self/environ"],
  ])
  const chain = Array.from({ length: 45 }, (_, index) => [`chain${index}`, index === 0 ? "folder" : `chain${index - 1}`] as const)
  links(scene, chain)
  return [
    ...outside(
      [
        ...["file", "file-near", "folder", "folder-near", "folder/secret.txt", "folder/new.txt", "folder/new/deep.txt"],
        ...["folder-near/deep/secret.txt", "folder/deep", "above", "above/out/secret.txt", "above/work-beside/secret.txt"],
        ...["slash/secret.txt", "dots/secret.txt", "first/secret.txt", "second/new.txt", "third", "fourth", "through-here"],
        ...["twice/secret.txt", "twice", "via-sub", "proc-root", "proc-folder/secret.txt", "proc-folder/new.txt", "descriptor"],
        ...[
          "descriptor-folder/secret.txt",
          "descriptor-folder/new.txt",
          "descriptor-folder",
          "chain20/secret.txt",
          "chain30/new.txt",
        ],
        ...[
          "here/here/here/folder/secret.txt",
          "top/traps/top/traps/folder/secret.txt",
          "folder/./secret.txt",
          "folder/deep/new.txt",
        ],
      ].map((name) => `traps/${name}`),
    ),
    ...refused(["self", "self/x", "ping", "pong/x", "chain44/secret.txt"].map((name) => `traps/${name}`)),
    ...system(["traps/root", "traps/root/etc/passwd", "traps/environment"]),
  ]
}

const dangling: Category = (scene) => {
  links(scene, [
    ...([
      ["d-file", "BASE/out/none.txt"],
      ["d-near", "../../out/none.txt"],
      ["d-folder", "BASE/out/none"],
    ] as const),
    ...([
      ["d-one", "d-file"],
      ["d-two", "d-one"],
      ["d-deep", "BASE/out/none/none/none.txt"],
      ["d-above", "../../none"],
    ] as const),
    ...([
      ["d-inside", "../src/sub"],
      ["d-dots", "d-inside/../../../out/none.txt"],
      ["d-missing", "none/../../../out/none.txt"],
    ] as const),
    ...([
      ["d-via", "d-out/none.txt"],
      ["d-proc", "/proc/self/rootBASE/out/none.txt"],
      ["d-out", "BASE/out"],
      ["d-hook", "../../out/hooks/pre-commit"],
    ] as const),
  ])
  return outside(
    [
      ...["d-file", "d-near", "d-folder", "d-folder/new.txt", "d-folder/new/deep.txt", "d-one", "d-two", "d-deep", "d-above"],
      ...["d-above/new.txt", "d-dots", "d-missing", "d-via", "d-proc", "d-hook"],
    ].map((name) => `traps/${name}`),
  )
}

const kernel: Category = ({ base, workspace, fileFd, folderFd }) => [
  ...outside([
    ...[
      `/proc/self/root${base}/out/secret.txt`,
      `/proc/self/root/..${base}/out/secret.txt`,
      `/proc/${process.pid}/root${base}/out/secret.txt`,
    ],
    ...[`/proc/thread-self/root${base}/out/secret.txt`, `/proc/self/task/${process.pid}/root${base}/out/new.txt`],
    ...[`/proc/self/fd/${fileFd}`, `/dev/fd/${fileFd}`, `/proc/self/fd/${folderFd}/secret.txt`, `/dev/fd/${folderFd}/new.txt`],
    ...[`/proc/${process.pid}/fd/${fileFd}`, `/proc/self/fd/${folderFd}`, `/proc/self/fd/${folderFd}/../out/secret.txt`],
  ]),
  ...inside([`/proc/self/root${workspace}/src/new.txt`]),
  ...system(["/proc/self/environ", "/proc/self/mem", "/proc/self/maps", "/proc/self/cmdline", "/proc/1/environ", "/proc/kmsg"]),
  ...system([
    "/proc/kcore",
    "/proc/self/cwd",
    "/proc/self/cwd/package.json",
    "/proc/self/root",
    "/proc/self/root/etc/passwd",
    "/proc",
  ]),
  ...system([
    "/proc/self/exe",
    "/proc/sys/kernel/hostname",
    "/sys",
    "/sys/kernel",
    "/sys/class",
    "/proc/self/task",
    "/proc/self/fd",
  ]),
  ...system([
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev",
    "/dev/shm",
    "/dev/shm/none",
  ]),
  ...system(["/dev/mem", "/dev/kmsg", "/dev/vda", "/dev/sda", "/dev/ptmx", "/proc/sysrq-trigger", "/proc/self/attr/current"]),
]

const special: Category = ({ workspace }) => {
  mkdirSync(join(workspace, "odd"))
  spawnSync("mkfifo", [join(workspace, "odd/pipe")])
  symlinkSync("pipe", join(workspace, "odd/link-to-pipe"))
  const listen = 'require("net").createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))'
  spawnSync(process.execPath, ["-e", listen, join(workspace, "odd/socket")])
  symlinkSync("/dev/zero", join(workspace, "odd/zero"))
  symlinkSync("/dev/full", join(workspace, "odd/full"))
  return [
    ...refused(["odd/pipe", "odd/link-to-pipe", "odd/pipe/below", "odd/socket", "odd/socket/below"]),
    ...system(["odd/zero", "odd/full"]),
  ]
}

const forms: Category = ({ base }) => [
  ...inside([
    ...["~", "~/.ssh/id_rsa", "~root/.ssh/id_rsa", "~+/x", "$HOME/.ssh/id_rsa", "%HOME%/x", "$(pwd)"],
    ...[
      "file:/etc/passwd",
      "%2e%2e/out/secret.txt",
      "..%2fout%2fsecret.txt",
      "%2e%2e%2fout%2fsecret.txt",
      "..%252fout%252fsecret.txt",
    ],
    ...[
      "..%c0%afout",
      "..%5cout",
      "..\\out\\secret.txt",
      "..\\..\\etc\\passwd",
      "C:\\Windows\\win.ini",
      "C:secret.txt",
      "\\\\server\\share\\x",
    ],
    ...["\\\\?\\C:\\x", "\\\\.\\pipe\\x", "NUL", "CON", "a.txt:stream", "\u2024\u2024/out/secret.txt", "\u2025/out/secret.txt"],
    ...["\uff0e\uff0e/out/secret.txt", "..\uff0fout\uff0fsecret.txt", "..\u2215out", "..\u2044out", ".\u200b./out/secret.txt"],
    ...[
      "\ufeff../x",
      " ..",
      ".. ",
      "... /x",
      "..../out/secret.txt",
      "..;/out/secret.txt",
      "..\t/x",
      "\n..",
      "-rf",
      "--",
      "*",
      "?",
    ],
  ]),
  ...outside([
    ...["../out/secret.txt\n", "\n/../../out/secret.txt", " /../../out/secret.txt", "../out/secret.txt ", "../out/ secret.txt"],
    ...["~/../../out/secret.txt", "$HOME/../../out/secret.txt", "%2e/../../out/secret.txt", "\u202e/../../out/secret.txt"],
    ...[
      `file://${base}/../../../../../..${base}/out/secret.txt`,
      "../out/s\u00e9cret.txt",
      "../out/\u{1f511}.txt",
      "../out/\ud800.txt",
    ],
  ]),
  ...refused([
    ...[
      "../out/secret.txt\0",
      "a.txt\0/../../out/secret.txt",
      "\0",
      "\0../out",
      "n".repeat(300),
      "../out/".concat("n".repeat(300)),
    ],
    ...[
      "a/".repeat(100_000),
      "../".repeat(3000),
      `${"x".repeat(4097)}`,
      `${"../".repeat(2000)}etc/passwd`,
      "y".repeat(10_000_000),
    ],
  ]),
]

export const ESCAPES: Record<string, Category> = { dots, absolute, linked, dangling, kernel, special, forms }
