// A child process and all that it starts: begun without a shell, in a group of its own, ended as a group.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { realClock } from '../driving/clock.ts';

export interface ChildOptions {
  readonly command: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child. */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly patience?: number;
}

export type ExitState = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** What is left to kill when Runcert itself ends. */
const living = new Set<ChildGroup>();
let hooked = false;

/** Ends every child group at once; for the end of the process, where nothing can be awaited. */
export function killEveryChild(): void {
  for (const child of living) child.killNow();
}

export class ChildGroup {
  readonly process: ChildProcessWithoutNullStreams;
  readonly pid: number | undefined;
  /** Resolves when the child itself has ended or could not be started; what it started may still live. */
  readonly exited: Promise<ExitState | Error>;
  #patience: number;
  #strays = new Set<number>();
  #end: Promise<{ readonly killed: boolean }> | undefined;

  constructor(options: ChildOptions) {
    const [file, ...args] = options.command;
    this.#patience = options.patience ?? 2000;
    this.process = spawn(file ?? '', args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      shell: false,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
    });
    this.pid = this.process.pid;
    this.exited = new Promise((resolve) => {
      this.process.once('error', resolve);
      this.process.once('exit', (code, signal) => resolve({ code, signal }));
    });
    // A pipe that breaks is told by the link; without a listener it would end Runcert.
    for (const pipe of [this.process.stdin, this.process.stdout, this.process.stderr]) pipe.on('error', () => {});
    if (this.pid !== undefined) {
      living.add(this);
      if (!hooked) process.once('exit', killEveryChild);
      hooked = true;
    }
  }

  /** Anything of the group still alive. */
  get alive(): boolean {
    return this.pid !== undefined && (exists(-this.pid) || [...this.#strays].some((pid) => exists(pid)));
  }

  /** Asks with SIGTERM, then insists with SIGKILL. Resolves when nothing of the group is left. */
  end(): Promise<{ readonly killed: boolean }> {
    this.#end ??= this.#kill();
    return this.#end;
  }

  killNow(): void {
    this.#signal('SIGKILL');
  }

  async #kill(): Promise<{ readonly killed: boolean }> {
    if (this.pid === undefined) return { killed: false };
    this.seek();
    this.#signal('SIGTERM');
    let killed = false;
    if (!(await this.#gone(this.#patience))) {
      this.seek();
      this.#signal('SIGKILL');
      killed = true;
      await this.#gone(5000);
    }
    living.delete(this);
    for (const pipe of [this.process.stdin, this.process.stdout, this.process.stderr]) pipe.destroy();
    return { killed };
  }

  async #gone(limit: number): Promise<boolean> {
    const until = realClock.now() + limit;
    for (let pause = 1; this.alive; pause = Math.min(pause * 2, 50)) {
      if (realClock.now() >= until) return false;
      await realClock.sleep(pause);
    }
    return true;
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.pid === undefined) return;
    for (const pid of [-this.pid, ...this.#strays]) {
      try {
        process.kill(pid, signal);
      } catch {
        // Gone already.
      }
    }
  }

  /** Descendants that left the group (a session of their own) while their parent still lives. Linux only; elsewhere the group must do. */
  seek(): void {
    if (this.pid === undefined || process.platform !== 'linux') return;
    const children = new Map<number, number[]>();
    try {
      for (const name of readdirSync('/proc')) {
        if (!/^\d+$/.test(name)) continue;
        const parent = parentOf(Number(name));
        if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
      }
    } catch {
      return;
    }
    const walk = (pid: number): void => {
      for (const child of children.get(pid) ?? []) {
        this.#strays.add(child);
        walk(child);
      }
    };
    walk(this.pid);
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // `pid (name) state parent …`; the name may hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

/** A process, or a group when negative, that is not merely waiting to be collected. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  if (process.platform !== 'linux') return true;
  if (pid > 0) return !isZombie(pid);
  try {
    return readdirSync('/proc').some(
      (name) => /^\d+$/.test(name) && groupOf(Number(name)) === -pid && !isZombie(Number(name)),
    );
  } catch {
    return true;
  }
}

const statOf = (pid: number): string[] => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
};
const isZombie = (pid: number): boolean => ['Z', 'X', undefined].includes(statOf(pid)[0]);
const groupOf = (pid: number): number => Number(statOf(pid)[2]);
