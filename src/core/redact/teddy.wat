;; Finds windows of a fixed set (4 bytes of ASCII, or the first 3 of another character) in a byte range, 16 places at a
;; time ("Teddy": nibble tables for 8 buckets, then bitmaps of hashed windows). Memory:
;;      0 nibble tables: low, high for each of 4 places, 16 bytes each
;;   8192 i32: where the scan stopped; i32: whether a DEL (one byte, too short for a window) was seen
;;  16384 i32[12032]: places found
;;  65536 bitmap of ASCII windows, 2^18 bits
;;  98304 bitmap of other windows, 2^18 bits
;; 131072 data; 64 bytes behind the end must be readable
;; Rebuild the bytes in teddy.ts with: node scripts/redaction-plan.ts
(module
  (memory (export "memory") 4 16384)
  (func (export "scan") (param $p i32) (param $end i32) (result i32)
    (local $lo0 v128) (local $hi0 v128) (local $lo1 v128) (local $hi1 v128)
    (local $lo2 v128) (local $hi2 v128) (local $lo3 v128) (local $hi3 v128)
    (local $v v128) (local $m v128) (local $f v128) (local $del v128) (local $dels v128)
    (local $bits i32) (local $n i32) (local $q i32) (local $h i32) (local $w i32) (local $g i32)
    (local.set $lo0 (v128.load (i32.const 0)))  (local.set $hi0 (v128.load (i32.const 16)))
    (local.set $lo1 (v128.load (i32.const 32))) (local.set $hi1 (v128.load (i32.const 48)))
    (local.set $lo2 (v128.load (i32.const 64))) (local.set $hi2 (v128.load (i32.const 80)))
    (local.set $lo3 (v128.load (i32.const 96))) (local.set $hi3 (v128.load (i32.const 112)))
    (local.set $f (i8x16.splat (i32.const 15)))
    (local.set $del (i8x16.splat (i32.const 127)))
    (block $done
      (loop $top
        (br_if $done (i32.ge_u (local.get $p) (local.get $end)))
        ;; a block adds at most 16 places, the table has room for 12032
        (br_if $done (i32.ge_u (local.get $n) (i32.const 12000)))
        ;; $m: for each of 16 places the buckets whose four bytes may stand there
        (local.set $v (v128.load (local.get $p)))
        (local.set $dels (v128.or (local.get $dels) (i8x16.eq (local.get $v) (local.get $del))))
        (local.set $m (v128.and
          (i8x16.swizzle (local.get $lo0) (v128.and (local.get $v) (local.get $f)))
          (i8x16.swizzle (local.get $hi0) (i8x16.shr_u (local.get $v) (i32.const 4)))))
        (local.set $v (v128.load offset=1 (local.get $p)))
        (local.set $m (v128.and (local.get $m) (v128.and
          (i8x16.swizzle (local.get $lo1) (v128.and (local.get $v) (local.get $f)))
          (i8x16.swizzle (local.get $hi1) (i8x16.shr_u (local.get $v) (i32.const 4))))))
        (local.set $v (v128.load offset=2 (local.get $p)))
        (local.set $m (v128.and (local.get $m) (v128.and
          (i8x16.swizzle (local.get $lo2) (v128.and (local.get $v) (local.get $f)))
          (i8x16.swizzle (local.get $hi2) (i8x16.shr_u (local.get $v) (i32.const 4))))))
        (local.set $v (v128.load offset=3 (local.get $p)))
        (local.set $m (v128.and (local.get $m) (v128.and
          (i8x16.swizzle (local.get $lo3) (v128.and (local.get $v) (local.get $f)))
          (i8x16.swizzle (local.get $hi3) (i8x16.shr_u (local.get $v) (i32.const 4))))))
        (if (v128.any_true (local.get $m)) (then
          (local.set $bits (i32.xor
            (i8x16.bitmask (i8x16.eq (local.get $m) (v128.const i64x2 0 0)))
            (i32.const 65535)))
          (loop $lanes
            (local.set $q (i32.add (local.get $p) (i32.ctz (local.get $bits))))
            (local.set $w (i32.load (local.get $q)))
            ;; ASCII: all 4 bytes, in the first bitmap; else the first 3 bytes of a character, in the second
            (local.set $g (i32.const 65536))
            (if (i32.and (local.get $w) (i32.const 0x80)) (then
              (local.set $w (i32.and (local.get $w) (i32.const 0xffffff)))
              (local.set $g (i32.const 98304))))
            (local.set $h (i32.shr_u (i32.mul (local.get $w) (i32.const 0x9E3779B1)) (i32.const 14)))
            (if (i32.and
                  (i32.shr_u
                    (i32.load8_u (i32.add (local.get $g) (i32.shr_u (local.get $h) (i32.const 3))))
                    (i32.and (local.get $h) (i32.const 7)))
                  (i32.const 1))
              (then
                (i32.store offset=16384 (i32.shl (local.get $n) (i32.const 2)) (local.get $q))
                (local.set $n (i32.add (local.get $n) (i32.const 1)))))
            (local.set $bits (i32.and (local.get $bits) (i32.sub (local.get $bits) (i32.const 1))))
            (br_if $lanes (local.get $bits)))))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br $top)))
    (i32.store (i32.const 8192) (local.get $p))
    (i32.store (i32.const 8196) (v128.any_true (local.get $dels)))
    (local.get $n)))
