/** Variables: which a line may set without changing what the programs after it do. */
import type { Assignment } from "./shell/line.ts"

/** Where programs are found, what is loaded into them, what they run. Setting one of these is never harmless. */
const HARMFUL =
  /^(?:PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|BASHOPTS|SHELLOPTS|SHELL|PS[0-4]|PROMPT_COMMAND|CDPATH|GLOBIGNORE|HOME|PWD|OLDPWD|TMPDIR|XDG_.*|LD_.*|DYLD_.*|LIBPATH|SHLIB_PATH|GCONV_PATH|LOCPATH|NLSPATH|MALLOC_.*|TERMINFO.*|TERMCAP|HOSTALIASES|RES_OPTIONS|GIT_.*|SSH_.*|GPG_.*|EDITOR|VISUAL|PAGER|MANPAGER|.*_PAGER|BROWSER|LESS.*|NODE_OPTIONS|NODE_PATH|NODE_REPL.*|NODE_EXTRA_CA_CERTS|NODE_TLS.*|NODE_V8_COVERAGE|npm_.*|NPM_.*|YARN_.*|PNPM_.*|COREPACK_.*|BUN_.*|DENO_.*|PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$|HASHSEED$|IOENCODING$|UTF8$).*|PIP_.*|UV_.*|VIRTUAL_ENV|PYTEST_.*|PERL.*|RUBY.*|GEM_.*|BUNDLE_.*|PHP.*|LUA_.*|JAVA_.*|_JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|CLASSPATH|GO(?!OS$|ARCH$|MAXPROCS$).*|CGO_(?!ENABLED$).*|CARGO_(?!TERM_COLOR$).*|RUST(?!_BACKTRACE$|_LOG$).*|MAKE.*|MFLAGS|C(?:C|XX|PP|FLAGS|XXFLAGS|PPFLAGS)|LD|LDFLAGS|AR|AS|NM|CMAKE_.*|PKG_CONFIG.*|GREP_.*|RIPGREP_.*|FD_.*|TAR_OPTIONS|GZIP|RSYNC_.*|CURL_.*|WGET.*|HTTP_PROXY|HTTPS_PROXY|ALL_PROXY|NO_PROXY|https?_proxy|all_proxy|DOCKER_.*|KUBECONFIG|AWS_.*|AZURE_.*|GOOGLE_.*|SUDO_.*|JOEY_.*|FPATH|ZDOTDIR|PARALLEL.*|MAIL.*|HIST.*|POSIXLY_CORRECT|EXECIGNORE|FCEDIT|INPUTRC|COMP_.*|BASH.*|OPENSSL_.*|SSL_.*|DOTNET_(?!CLI_TELEMETRY_OPTOUT$).*)$/
/** Known to be read as data only. */
const HARMLESS =
  /^(?:NODE_ENV|CI|DEBUG|NO_COLOR|FORCE_COLOR|CLICOLOR|RUST_BACKTRACE|RUST_LOG|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|PORT|COLUMNS|LINES|LOG_LEVEL|LOGLEVEL|VERBOSE|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|PYTHONIOENCODING|CARGO_TERM_COLOR|GOOS|GOARCH|CGO_ENABLED|GOMAXPROCS|DOTNET_CLI_TELEMETRY_OPTOUT|HUSKY|TEST_.*|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|DJANGO_SETTINGS_MODULE|NEXT_TELEMETRY_DISABLED|VITE_[A-Z_]+)$/
const SWITCH = /^(?:|\d{1,6}|true|false|on|off|yes|no)$/i
const QUIET_PAGER = /^(?:PAGER|GIT_PAGER|MANPAGER|GH_PAGER)$/

/** Why setting this is not harmless, or undefined. */
export function harmfulAssignment({ name, value, exported }: Assignment, program: string | undefined): string | undefined {
  if (QUIET_PAGER.test(name) && (value === "cat" || value === "")) return undefined
  if (name === "IFS" && program === "read" && value !== undefined) return undefined
  if (HARMFUL.test(name)) return `setting ${name} changes what programs do`
  if (!exported || HARMLESS.test(name)) return undefined
  return value !== undefined && SWITCH.test(value) ? undefined : `what setting ${name} does is not known`
}
