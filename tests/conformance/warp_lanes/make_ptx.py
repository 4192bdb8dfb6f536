# Makes warp_lanes.ptx and foreign.ptx: kernels NAME(D, V, A, B, C) over one warp.
import re

ops = {}
for m in ['up', 'down', 'bfly', 'idx']:
    ops['shfl_' + m] = f'shfl.sync.{m}.b32 r|q, v, b, c, m;'
for m in ['all', 'any', 'uni']:
    ops['vote_' + m] = f'vote.sync.{m}.pred q, odd, m;\n  selp.b32 r, 1, 0, q;'
ops['vote_ballot'] = 'vote.sync.ballot.b32 r, odd, m;\n  setp.ne.u32 q, l, 0xffff;'
for t in ['b32', 'b64']:
    s = 'v' if t == 'b32' else 'w'
    ops['match_any_' + t] = f'match.any.sync.{t} r, {s}, m;\n  setp.ne.u32 q, l, 0xffff;'
    ops['match_all_' + t] = f'match.all.sync.{t} r|q, {s}, m;'
for o in ['add', 'min', 'max']:
    for t in ['u32', 's32']:
        ops[f'redux_{o}_{t}'] = f'redux.sync.{o}.{t} r, v, m;\n  setp.ne.u32 q, l, 0xffff;'
for o in ['and', 'or', 'xor']:
    ops[f'redux_{o}_b32'] = f'redux.sync.{o}.b32 r, v, m;\n  setp.ne.u32 q, l, 0xffff;'
ops['activemask'] = 'activemask.b32 r;\n  setp.ne.u32 q, l, 0xffff;'
scenarios = {
    # Lanes outside A take the other side of a branch.
    'branch': '  @!in bra SKIP;\n  mov.b32 m, a;\n  OP\nSKIP:\n',
    # Lanes outside A have exited; the mask names those of A.
    'exited': '  @!in exit;\n  mov.b32 m, a;\n  OP\n',
    # Lanes outside A have exited; the mask names all.
    'exited_named': '  @!in exit;\n  mov.b32 m, 0xffffffff;\n  OP\n',
    # All execute together; lanes of A name A, the others name the others.
    'groups': '  not.b32 t, a;\n  selp.b32 m, a, t, in;\n  OP\n',
    # The instruction is guarded; the mask names A.
    'guarded': '  mov.b32 m, a;\n  GUARDED\n',
    # All execute together and name A: lanes outside A are not in their own mask.
    'foreign': '  mov.b32 m, a;\n  OP\n',
}
# Member masks that lack lanes that execute, some of them constants.
foreign = {
    'foreign_branch': '  @!in bra SKIP;\n  not.b32 m, a;\n  OP\nSKIP:\n',
    'foreign_constant': '  OPC 0x0000ffff\n',
    'foreign_constant_branch': '  @!in bra SKIP;\n  OPC 0xffff0000\nSKIP:\n',
    'foreign_other_side': '  @!in bra SKIP;\n  not.b32 m, a;\n  OP\n  bra DONE;\nSKIP:\n  mov.b32 m, a;\n  OP\nDONE:\n',
}


def make(file, scenarios):
    out = '.version 7.8\n.target sm_80\n.address_size 64\n'
    for sn, body in scenarios.items():
        for on, op in ops.items():
            first, *rest = op.split('\n')
            guarded = '@in ' + first + ''.join('\n  ' + '@in ' + r.strip() for r in rest)
            text = re.sub(r'OPC (0x[0-9a-f]+)', lambda k: op.replace(', m;', ', ' + k.group(1) + ';'), body)
            text = text.replace('GUARDED', guarded).replace('OP', op)
            out += f'''
.visible .entry {sn}__{on}(.param .u64 D, .param .u64 V, .param .u32 A, .param .u32 B, .param .u32 C)
{{
  .reg .pred in, odd, q, far;
  .reg .b32 a, b, c, m, r, t, v, l;
  .reg .b64 d, e, x, w;
  ld.param.u64 d, [D];
  ld.param.u64 x, [V];
  ld.param.u32 a, [A];
  ld.param.u32 b, [B];
  ld.param.u32 c, [C];
  mov.u32 l, %tid.x;
  mul.wide.u32 e, l, 4;
  add.u64 x, x, e;
  add.u64 d, d, e;
  add.u64 d, d, e;
  ld.global.u32 v, [x];
  cvt.u64.u32 w, v;
  shl.b64 e, w, 32;
  or.b64 w, w, e;
  and.b32 t, v, 1;
  setp.ne.u32 odd, t, 0;
  setp.gt.u32 far, b, 31;
  mad.lo.u32 t, l, 5, 3;
  and.b32 t, t, 31;
  selp.b32 b, t, b, far;
  shr.u32 t, a, l;
  and.b32 t, t, 1;
  setp.ne.u32 in, t, 0;
  mov.b32 r, 0xee;
  setp.ne.u32 q, t, 0;
{text}
  st.global.u32 [d], r;
  selp.b32 t, 1, 0, q;
  st.global.u32 [d+4], t;
  exit;
}}
'''
    open(file, 'w').write(out)


make('warp_lanes.ptx', scenarios)
make('foreign.ptx', foreign)
