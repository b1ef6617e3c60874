print(("%5.2f|%-5s|%q|%x"):format(1.5, "a", "b\n\0", 255), #"\u{7FFFFFFF}\z
  \x41\065", [==[
]]]==], ("abc"):gsub("%w", {a = 1, b = true}), ("k=v"):match("^(%w+)=(%w*)$"))
print(string.pack("<i4 z s1 >d", 1, "a", "b", 0.5):byte(1, -1))
print(table.concat({1, 2.5, "x"}, ","), "10" + 5, 10 .. "", tostring(1e100), 0x.8p1, 1 // 0.0)
