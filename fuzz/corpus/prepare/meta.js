new.target; import.meta; super.x; await; yield; return; break; continue; this
